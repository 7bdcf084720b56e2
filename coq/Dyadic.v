(** The numbers of the checker of error bounds: [mant * 2^expo], exactly.

    The checker runs under [vm_compute] on many thousand judgements, so mantissas and exponents are [bigZ],
    which computes with machine words. [V x] is the real number that [x] stands for, and each operation is
    tied to [V]:
    - sums, products, comparisons and shifts are exact;
    - [floor_to], [ceil_to], [round_down] and [round_up] are Flocq's [round], as equalities;
    - quotients and roots are rounded in a given direction, and are proved to lie on that side.
    A number may be written in several ways, with zeros at the end of its mantissa: [deqb] compares the
    values, and [norm] takes the zeros away. *)
From Coq Require Import Reals Lra Lia ZArith Bool.
From Flocq Require Import Core.
From Bignums Require Import BigZ BigN.
Open Scope R_scope.

(** The number [mant * 2^expo]. *)
Record dy := D { mant : bigZ; expo : bigZ }.

Definition V (x : dy) : R := IZR [mant x]%bigZ * bpow radix2 [expo x]%bigZ.

(** From [bigZ] to [Z]. *)
Create HintDb big.
#[export] Hint Rewrite BigZ.spec_compare BigZ.spec_ltb BigZ.spec_leb BigZ.spec_eqb BigZ.spec_shiftl
  BigZ.spec_shiftr BigZ.spec_add BigZ.spec_sub BigZ.spec_mul BigZ.spec_opp BigZ.spec_abs BigZ.spec_max
  BigZ.spec_div BigZ.spec_sqrt BigZ.spec_even BigZ.spec_log2 BigZ.spec_succ : big.
Ltac big := autorewrite with big in *; change [2]%bigZ with 2%Z in *;
  change [1]%bigZ with 1%Z in *; change [0]%bigZ with 0%Z in *.

(** * Exact operations *)

Definition dzero := D 0 0.
Definition done := D 1 0.
Definition dpow (k : bigZ) := D 1 k.
Definition dneg (x : dy) := D (- mant x) (expo x).
Definition dabs (x : dy) := D (BigZ.abs (mant x)) (expo x).
Definition dscale (k : bigZ) (x : dy) := D (mant x) (expo x + k).
Definition dmul (x y : dy) := D (mant x * mant y) (expo x + expo y).

Definition dadd (x y : dy) : dy :=
  match BigZ.compare (expo x) (expo y) with
  | Eq => D (mant x + mant y) (expo x)
  | Lt => if BigZ.eqb (mant x) 0 then y
          else D (mant x + BigZ.shiftl (mant y) (expo y - expo x)) (expo x)
  | Gt => if BigZ.eqb (mant y) 0 then x
          else D (BigZ.shiftl (mant x) (expo x - expo y) + mant y) (expo y)
  end.
Definition dsub (x y : dy) := dadd x (dneg y).

Definition dcompare (x y : dy) : comparison :=
  match BigZ.compare (expo x) (expo y) with
  | Eq => BigZ.compare (mant x) (mant y)
  | Lt => BigZ.compare (mant x) (BigZ.shiftl (mant y) (expo y - expo x))
  | Gt => BigZ.compare (BigZ.shiftl (mant x) (expo x - expo y)) (mant y)
  end.
Definition dle x y := match dcompare x y with Gt => false | _ => true end.
Definition dlt x y := match dcompare x y with Lt => true | _ => false end.
Definition deqb x y := match dcompare x y with Eq => true | _ => false end.
Definition dmin x y := if dle x y then x else y.
Definition dmax x y := if dle x y then y else x.
Definition is_zero (x : dy) := BigZ.eqb (mant x) 0.
Definition is_neg (x : dy) := BigZ.ltb (mant x) 0.
Definition is_pos (x : dy) := BigZ.ltb 0 (mant x).

(** The same number with an odd mantissa (0 as [0 * 2^0]). *)
Definition norm (x : dy) : dy :=
  if is_zero x then dzero
  else let k := BigZ.Pos (BigN.tail0 (BigZ.to_N (mant x))) in D (BigZ.shiftr (mant x) k) (expo x + k).

Lemma V_zero : V dzero = 0.
Proof. unfold V; cbn; lra. Qed.

Lemma V_one : V done = 1.
Proof. unfold V; cbn; lra. Qed.

Lemma V_pow k : V (dpow k) = bpow radix2 [k]%bigZ.
Proof. unfold V, dpow, mant, expo; big; lra. Qed.

Lemma V_neg x : V (dneg x) = - V x.
Proof. unfold V, dneg; cbn [mant expo]. big. rewrite opp_IZR. lra. Qed.

Lemma V_abs x : V (dabs x) = Rabs (V x).
Proof.
  unfold V, dabs; cbn [mant expo]. big.
  rewrite Rabs_mult, abs_IZR, (Rabs_pos_eq (bpow _ _)) by apply bpow_ge_0. reflexivity.
Qed.

Lemma V_scale k x : V (dscale k x) = V x * bpow radix2 [k]%bigZ.
Proof. unfold V, dscale; cbn [mant expo]. big. rewrite bpow_plus. lra. Qed.

Lemma V_mul x y : V (dmul x y) = V x * V y.
Proof. unfold V, dmul; cbn [mant expo]. big. rewrite bpow_plus, mult_IZR. lra. Qed.

(** A mantissa that is shifted to the left belongs to a lower exponent. *)
Lemma shiftl_bpow m e e' : (e <= e')%Z ->
  IZR (Z.shiftl m (e' - e)) * bpow radix2 e = IZR m * bpow radix2 e'.
Proof.
  intros H. rewrite Z.shiftl_mul_pow2, mult_IZR by lia.
  change 2%Z with (radix_val radix2). rewrite IZR_Zpower, Rmult_assoc, <- bpow_plus by lia.
  do 2 f_equal. lia.
Qed.

Lemma V_add x y : V (dadd x y) = V x + V y.
Proof.
  unfold dadd. rewrite BigZ.spec_compare.
  destruct (Z.compare_spec [expo x]%bigZ [expo y]%bigZ) as [E|E|E].
  - unfold V; cbn [mant expo]. big. rewrite plus_IZR, E. lra.
  - rewrite BigZ.spec_eqb. destruct (Z.eqb_spec [mant x]%bigZ [0]%bigZ) as [M|M].
    + unfold V at 2. rewrite M. change [0]%bigZ with 0%Z. lra.
    + unfold V; cbn [mant expo]. big.
      rewrite plus_IZR, Rmult_plus_distr_r, shiftl_bpow by lia. reflexivity.
  - rewrite BigZ.spec_eqb. destruct (Z.eqb_spec [mant y]%bigZ [0]%bigZ) as [M|M].
    + unfold V at 3. rewrite M. change [0]%bigZ with 0%Z. lra.
    + unfold V; cbn [mant expo]. big.
      rewrite plus_IZR, Rmult_plus_distr_r, shiftl_bpow by lia. reflexivity.
Qed.

Lemma V_sub x y : V (dsub x y) = V x - V y.
Proof. unfold dsub. rewrite V_add, V_neg. reflexivity. Qed.

Lemma dcompare_ok x y : dcompare x y = Rcompare (V x) (V y).
Proof.
  unfold dcompare. big.
  destruct (Z.compare_spec [expo x]%bigZ [expo y]%bigZ) as [E|E|E]; unfold V.
  - rewrite E, Rcompare_mult_r, Rcompare_IZR by apply bpow_gt_0. reflexivity.
  - rewrite <- (shiftl_bpow [mant y]%bigZ [expo x]%bigZ) by lia.
    rewrite Rcompare_mult_r, Rcompare_IZR by apply bpow_gt_0. reflexivity.
  - rewrite <- (shiftl_bpow [mant x]%bigZ [expo y]%bigZ) by lia.
    rewrite Rcompare_mult_r, Rcompare_IZR by apply bpow_gt_0. reflexivity.
Qed.

Lemma dle_spec x y : BoolSpec (V x <= V y) (V y < V x) (dle x y).
Proof. unfold dle. rewrite dcompare_ok. destruct (Rcompare_spec (V x) (V y)); constructor; lra. Qed.

Lemma dlt_spec x y : BoolSpec (V x < V y) (V y <= V x) (dlt x y).
Proof. unfold dlt. rewrite dcompare_ok. destruct (Rcompare_spec (V x) (V y)); constructor; lra. Qed.

Lemma deqb_spec x y : BoolSpec (V x = V y) (V x <> V y) (deqb x y).
Proof. unfold deqb. rewrite dcompare_ok. destruct (Rcompare_spec (V x) (V y)); constructor; lra. Qed.

Lemma dle_iff x y : dle x y = true <-> V x <= V y.
Proof. destruct (dle_spec x y); split; intros; trivial; try discriminate; lra. Qed.

Lemma deqb_iff x y : deqb x y = true <-> V x = V y.
Proof. destruct (deqb_spec x y); split; intros; trivial; try discriminate; lra. Qed.

Lemma dle_ok x y : dle x y = true -> V x <= V y.
Proof. apply dle_iff. Qed.

Lemma deqb_ok x y : deqb x y = true -> V x = V y.
Proof. apply deqb_iff. Qed.

Lemma V_min x y : V (dmin x y) = Rmin (V x) (V y).
Proof. unfold dmin. destruct (dle_spec x y); [rewrite Rmin_left|rewrite Rmin_right]; lra. Qed.

Lemma V_max x y : V (dmax x y) = Rmax (V x) (V y).
Proof. unfold dmax. destruct (dle_spec x y); [rewrite Rmax_right|rewrite Rmax_left]; lra. Qed.

Lemma Rcompare_V_0 x : Rcompare (V x) 0 = ([mant x]%bigZ ?= 0)%Z.
Proof.
  replace 0 with (0 * bpow radix2 [expo x]%bigZ) by lra.
  unfold V. rewrite Rcompare_mult_r by apply bpow_gt_0. apply Rcompare_IZR.
Qed.

Lemma is_zero_spec x : BoolSpec (V x = 0) (V x <> 0) (is_zero x).
Proof.
  generalize (Rcompare_V_0 x). unfold is_zero. big.
  destruct (Rcompare_spec (V x) 0), (Z.compare_spec [mant x]%bigZ 0), (Z.eqb_spec [mant x]%bigZ 0);
    intros; try discriminate; try lia; constructor; lra.
Qed.

Lemma is_neg_spec x : BoolSpec (V x < 0) (0 <= V x) (is_neg x).
Proof.
  generalize (Rcompare_V_0 x). unfold is_neg. big.
  destruct (Rcompare_spec (V x) 0), (Z.compare_spec [mant x]%bigZ 0), (Z.ltb_spec [mant x]%bigZ 0);
    intros; try discriminate; try lia; constructor; lra.
Qed.

Lemma is_pos_spec x : BoolSpec (0 < V x) (V x <= 0) (is_pos x).
Proof.
  generalize (Rcompare_V_0 x). unfold is_pos. big.
  destruct (Rcompare_spec (V x) 0), (Z.compare_spec [mant x]%bigZ 0), (Z.ltb_spec 0 [mant x]%bigZ);
    intros; try discriminate; try lia; constructor; lra.
Qed.

Lemma V_neq_0 x : V x <> 0 <-> [mant x]%bigZ <> 0%Z.
Proof.
  generalize (Rcompare_V_0 x).
  destruct (Rcompare_spec (V x) 0), (Z.compare_spec [mant x]%bigZ 0); intros; try discriminate;
    split; intros; lra || lia || congruence.
Qed.

Lemma V_norm x : V (norm x) = V x.
Proof.
  unfold norm. destruct (is_zero_spec x) as [H|H]; [rewrite H; apply V_zero|].
  apply V_neq_0 in H. unfold V; cbn [mant expo]. big.
  assert (P : (0 < [BigZ.to_N (mant x)]%bigN)%Z)
    by (generalize (BigZ.spec_to_N (mant x)) (BigN.spec_pos (BigZ.to_N (mant x))); nia).
  destruct (BigN.spec_tail0 _ P) as (y & Y & T).
  change [BigZ.Pos ?n]%bigZ with [n]%bigN.
  set (k := [BigN.tail0 _]%bigN) in *.
  assert (K : (0 <= k)%Z) by apply BigN.spec_pos.
  rewrite Z.shiftr_div_pow2 by exact K.
  assert (M : [mant x]%bigZ = (Z.sgn [mant x]%bigZ * (2 * y + 1) * 2 ^ k)%Z)
    by (rewrite <- Z.mul_assoc, <- T; apply BigZ.spec_to_N).
  rewrite M, Z.div_mul by (apply Z.pow_nonzero; lia).
  rewrite (mult_IZR _ (2 ^ k)). change (2 ^ k)%Z with (radix_val radix2 ^ k)%Z.
  rewrite IZR_Zpower, bpow_plus by exact K. lra.
Qed.

(** * Multiples of a power of two *)

(** The multiple of [2^k] next below, and next above. *)
Definition floor_to (k : bigZ) (x : dy) : dy :=
  if BigZ.leb k (expo x) then x else D (BigZ.shiftr (mant x) (k - expo x)) k.
Definition ceil_to (k : bigZ) (x : dy) : dy := dneg (floor_to k (dneg x)).

Lemma round_FIX k rnd x :
  round radix2 (FIX_exp k) rnd x = IZR (rnd (x * bpow radix2 (- k))) * bpow radix2 k.
Proof. reflexivity. Qed.

(** A multiple of [2^k] stays as it is. *)
Lemma round_multiple k rnd {H : Valid_rnd rnd} x : (k <= [expo x]%bigZ)%Z ->
  round radix2 (FIX_exp k) rnd (V x) = V x.
Proof.
  intros K. apply round_generic; [exact H|]. apply generic_format_FIX.
  exists (Float radix2 (Z.shiftl [mant x]%bigZ ([expo x]%bigZ - k)) k); [|reflexivity].
  unfold F2R; cbn [Fnum Fexp]. rewrite shiftl_bpow by exact K. reflexivity.
Qed.

(** The number in units of [2^(expo x + s)], as a quotient of integers. *)
Lemma V_scaled x s : (0 <= s)%Z ->
  V x * bpow radix2 (- ([expo x]%bigZ + s)) = IZR [mant x]%bigZ / IZR (2 ^ s).
Proof.
  intros S. unfold V. rewrite Rmult_assoc, <- bpow_plus.
  replace ([expo x]%bigZ + - ([expo x]%bigZ + s))%Z with (- s)%Z by lia.
  rewrite bpow_opp. change 2%Z with (radix_val radix2). rewrite IZR_Zpower by exact S. reflexivity.
Qed.

Theorem V_floor_to k x : V (floor_to k x) = round radix2 (FIX_exp [k]%bigZ) Zfloor (V x).
Proof.
  unfold floor_to. big. destruct (Z.leb_spec [k]%bigZ [expo x]%bigZ) as [K|K].
  - symmetry. apply round_multiple; [apply valid_rnd_DN|exact K].
  - rewrite round_FIX. replace [k]%bigZ with ([expo x]%bigZ + ([k]%bigZ - [expo x]%bigZ))%Z at 1 by lia.
    rewrite V_scaled by lia. rewrite Zfloor_div by (apply Z.pow_nonzero; lia).
    unfold V; cbn [mant expo]. big. rewrite Z.shiftr_div_pow2 by lia. reflexivity.
Qed.

Theorem V_ceil_to k x : V (ceil_to k x) = round radix2 (FIX_exp [k]%bigZ) Zceil (V x).
Proof. unfold ceil_to. rewrite V_neg, V_floor_to, V_neg, round_DN_opp. lra. Qed.

Lemma floor_to_le k x : V (floor_to k x) <= V x.
Proof. rewrite V_floor_to. apply round_DN_pt. apply FIX_exp_valid. Qed.

(** * Binades *)

(** The exponent of the binade of [|x|], for [x <> 0]. *)
Definition floor_log2 (x : dy) : bigZ := (expo x + BigZ.log2 (BigZ.abs (mant x)))%bigZ.

(** The least [e] with [x <= 2^e], for [x > 0]. *)
Definition ceil_log2 (x : dy) : bigZ :=
  let l := floor_log2 x in if deqb x (dpow l) then l else BigZ.succ l.

Theorem floor_log2_ok x : V x <> 0 ->
  bpow radix2 [floor_log2 x]%bigZ <= Rabs (V x) < bpow radix2 ([floor_log2 x]%bigZ + 1).
Proof.
  intros H%V_neq_0. rewrite <- V_abs. unfold V, dabs, floor_log2; cbn [mant expo]. big.
  assert (L := Z.log2_spec (Z.abs [mant x]%bigZ) ltac:(lia)).
  assert (P := Z.log2_nonneg (Z.abs [mant x]%bigZ)).
  set (l := Z.log2 _) in *. rewrite <- Z.add_assoc, (bpow_plus _ _ l), (bpow_plus _ _ (l + 1)).
  rewrite !(Rmult_comm _ (bpow radix2 [expo x]%bigZ)).
  rewrite <- (IZR_Zpower radix2 l), <- (IZR_Zpower radix2 (l + 1)) by lia. change (radix_val radix2) with 2%Z.
  assert (B := bpow_gt_0 radix2 [expo x]%bigZ).
  split; [apply Rmult_le_compat_l; [lra|]; apply IZR_le|apply Rmult_lt_compat_l; [lra|]; apply IZR_lt];
    rewrite ?Z.add_1_r; lia.
Qed.

Lemma mag_V x : V x <> 0 -> (mag radix2 (V x) = [floor_log2 x]%bigZ + 1 :> Z)%Z.
Proof.
  intros H. apply mag_unique. replace ([floor_log2 x]%bigZ + 1 - 1)%Z with [floor_log2 x]%bigZ by lia.
  apply floor_log2_ok, H.
Qed.

Theorem ceil_log2_ok x : 0 < V x ->
  bpow radix2 ([ceil_log2 x]%bigZ - 1) < V x <= bpow radix2 [ceil_log2 x]%bigZ.
Proof.
  intros H. assert (L := floor_log2_ok x ltac:(lra)). rewrite Rabs_pos_eq in L by lra.
  unfold ceil_log2. destruct (deqb_spec x (dpow (floor_log2 x))) as [E|E]; rewrite V_pow in E.
  - rewrite <- E. split; [rewrite E; apply bpow_lt; lia|lra].
  - big. replace ([floor_log2 x]%bigZ + 1 - 1)%Z with [floor_log2 x]%bigZ by lia. lra.
Qed.

(** * Rounding to [n] significant bits *)

(** All rounded numbers are multiples of [2^finest]. *)
Definition finest : bigZ := (-4096)%bigZ.

(** The exponent of the grid of [n]-bit numbers that [x] belongs to, and no less than [least]. *)
Definition grid (n least : bigZ) (x : dy) : bigZ := BigZ.max (BigZ.succ (floor_log2 x) - n) least.

Lemma cexp_V n least x : V x <> 0 ->
  cexp radix2 (FLT_exp [least]%bigZ [n]%bigZ) (V x) = [grid n least x]%bigZ.
Proof. intros H. unfold cexp, FLT_exp, grid. rewrite mag_V by exact H. big. reflexivity. Qed.

Lemma round_grid n least rnd x : V x <> 0 ->
  round radix2 (FLT_exp [least]%bigZ [n]%bigZ) rnd (V x) =
  round radix2 (FIX_exp [grid n least x]%bigZ) rnd (V x).
Proof. intros H. rewrite round_FIX, <- cexp_V by exact H. reflexivity. Qed.

Definition round_down (n : bigZ) (x : dy) : dy :=
  if is_zero x then dzero else floor_to (grid n finest x) x.
Definition round_up (n : bigZ) (x : dy) : dy := dneg (round_down n (dneg x)).

(** Errors are kept with 30 bits. *)
Definition up : dy -> dy := round_up 30.

(** The largest number of [n] bits that is at most [x], as Flocq says it. *)
Theorem V_round_down n x :
  V (round_down n x) = round radix2 (FLT_exp [finest]%bigZ [n]%bigZ) Zfloor (V x).
Proof.
  unfold round_down. destruct (is_zero_spec x) as [H|H].
  - rewrite H, round_0, V_zero; [reflexivity|apply valid_rnd_DN].
  - rewrite V_floor_to, round_grid by exact H. reflexivity.
Qed.

Theorem V_round_up n x :
  V (round_up n x) = round radix2 (FLT_exp [finest]%bigZ [n]%bigZ) Zceil (V x).
Proof. unfold round_up. rewrite V_neg, V_round_down, V_neg, round_DN_opp. lra. Qed.

Theorem round_down_le n x : V (round_down n x) <= V x.
Proof.
  unfold round_down. destruct (is_zero_spec x) as [H|H]; [rewrite H, V_zero; lra|apply floor_to_le].
Qed.

Theorem round_up_ge n x : V x <= V (round_up n x).
Proof. unfold round_up. rewrite V_neg. assert (H := round_down_le n (dneg x)). rewrite V_neg in H. lra. Qed.

Theorem up_ge x : V x <= V (up x).
Proof. apply round_up_ge. Qed.

(** * Quotients and roots, rounded *)

(** The quotient rounded down to a multiple of a power of two so small that it has more than [n] bits. *)
Definition floor_quotient (n : bigZ) (x y : dy) : dy :=
  let shift := BigZ.max 0 (BigZ.succ n + BigZ.log2 (BigZ.abs (mant y)) - BigZ.log2 (BigZ.abs (mant x))) in
  D (BigZ.div (BigZ.shiftl (mant x) shift) (mant y)) (expo x - expo y - shift).
Definition quotient_down (n : bigZ) (x y : dy) : dy := round_down n (floor_quotient n x y).
Definition quotient_up (n : bigZ) (x y : dy) : dy := dneg (quotient_down n (dneg x) y).
Definition up_quotient : dy -> dy -> dy := quotient_up 30.

Lemma floor_quotient_le n x y : V y <> 0 -> V (floor_quotient n x y) <= V x / V y.
Proof.
  intros H%V_neq_0. unfold floor_quotient. set (s := BigZ.max 0 _).
  assert (S : (0 <= [s]%bigZ)%Z) by (unfold s; big; lia). clearbody s.
  unfold V; cbn [mant expo]. big.
  rewrite <- Zfloor_div by exact H.
  rewrite Z.shiftl_mul_pow2, mult_IZR by exact S. change 2%Z with (radix_val radix2).
  rewrite IZR_Zpower by exact S.
  unfold Z.sub. rewrite !bpow_plus, !bpow_opp.
  assert (B := bpow_gt_0 radix2 [expo x]%bigZ). assert (C := bpow_gt_0 radix2 [expo y]%bigZ).
  assert (P := bpow_gt_0 radix2 [s]%bigZ). apply IZR_neq in H.
  set (q := IZR [mant x]%bigZ * bpow radix2 [s]%bigZ / IZR [mant y]%bigZ).
  replace (_ / (_ * _)) with
    (q * (bpow radix2 [expo x]%bigZ * / bpow radix2 [expo y]%bigZ * / bpow radix2 [s]%bigZ))
    by (unfold q; field; lra).
  apply Rmult_le_compat_r; [|apply Zfloor_lb].
  repeat apply Rmult_le_pos; try apply Rlt_le, Rinv_0_lt_compat; lra.
Qed.

Theorem quotient_down_le n x y : V y <> 0 -> V (quotient_down n x y) <= V x / V y.
Proof. intros H. eapply Rle_trans; [apply round_down_le|apply floor_quotient_le, H]. Qed.

Theorem quotient_up_ge n x y : V y <> 0 -> V x / V y <= V (quotient_up n x y).
Proof.
  intros H. unfold quotient_up. rewrite V_neg.
  assert (Q := quotient_down_le n (dneg x) y H). rewrite V_neg in Q.
  replace (- V x / V y) with (- (V x / V y)) in Q by (field; exact H). lra.
Qed.

Theorem up_quotient_ge x y : 0 < V y -> V x / V y <= V (up_quotient x y).
Proof. intros H. apply quotient_up_ge. lra. Qed.

(** [x = square * 2^(2*half)] with an integer square so large that its root has more than [n] bits. *)
Definition square (n : bigZ) (x : dy) : bigZ * bigZ :=
  let odd := if BigZ.even (expo x) then 0%bigZ else 1%bigZ in
  let shift := (odd + 2 * BigZ.max 0 (BigZ.succ n - BigZ.shiftr (BigZ.log2 (mant x)) 1))%bigZ in
  (BigZ.shiftl (mant x) shift, BigZ.shiftr (expo x - shift) 1).
Definition root_down (n : bigZ) (x : dy) : dy :=
  let (m, e) := square n x in round_down n (D (BigZ.sqrt m) e).
Definition root_up (n : bigZ) (x : dy) : dy :=
  let (m, e) := square n x in
  let s := BigZ.sqrt m in round_up n (D (if BigZ.eqb (s * s) m then s else BigZ.succ s) e).
Definition up_root : dy -> dy := root_up 30.

Lemma square_ok n x : let (m, e) := square n x in V x = IZR [m]%bigZ * bpow radix2 (2 * [e]%bigZ).
Proof.
  unfold square. set (t := BigZ.max 0 _).
  assert (T : (0 <= [t]%bigZ)%Z) by (unfold t; big; lia). clearbody t.
  set (s := BigZ.add _ (2 * t)).
  assert (S : (0 <= [s]%bigZ)%Z /\ (2 * Z.div2 ([expo x]%bigZ - [s]%bigZ) = [expo x]%bigZ - [s]%bigZ)%Z).
  { unfold s. rewrite BigZ.spec_even.
    rewrite Z.div2_div. destruct (Z.even [expo x]%bigZ) eqn:E; cbv match; big.
    - apply Z.even_spec in E as [c E]. Z.div_mod_to_equations; lia.
    - rewrite <- Z.negb_odd in E. apply negb_false_iff, Z.odd_spec in E as [c E].
      Z.div_mod_to_equations; lia. }
  destruct S as [S E]. clearbody s. big.
  unfold V. rewrite <- Z.div2_spec, E, <- (shiftl_bpow _ ([expo x]%bigZ - [s]%bigZ) [expo x]%bigZ) by lia.
  replace ([expo x]%bigZ - ([expo x]%bigZ - [s]%bigZ))%Z with [s]%bigZ by lia. reflexivity.
Qed.

Lemma root_ok n x : 0 <= V x -> let (m, e) := square n x in
  (0 <= [m]%bigZ)%Z /\ sqrt (V x) = sqrt (IZR [m]%bigZ) * bpow radix2 [e]%bigZ.
Proof.
  intros H. assert (S := square_ok n x). destruct (square n x) as [m e].
  assert (M : 0 <= IZR [m]%bigZ).
  { apply Rmult_le_reg_r with (bpow radix2 (2 * [e]%bigZ)); [apply bpow_gt_0|]. lra. }
  split; [apply le_IZR, M|]. rewrite S, sqrt_mult_alt, sqrt_bpow by exact M. reflexivity.
Qed.

Lemma sqrt_floor m : (0 <= m)%Z -> IZR (Z.sqrt m) <= sqrt (IZR m).
Proof.
  intros M. rewrite <- (sqrt_square (IZR (Z.sqrt m))) by apply IZR_le, Z.sqrt_nonneg.
  apply sqrt_le_1_alt. rewrite <- mult_IZR. apply IZR_le, Z.sqrt_spec, M.
Qed.

Lemma sqrt_ceil m : (0 <= m)%Z ->
  sqrt (IZR m) <= IZR (if (Z.sqrt m * Z.sqrt m =? m)%Z then Z.sqrt m else Z.sqrt m + 1).
Proof.
  intros M. set (s := if Z.eqb _ _ then Z.sqrt m else _).
  assert (S : (0 <= s /\ m <= s * s)%Z).
  { unfold s. assert (P := Z.sqrt_nonneg m). assert (Q := Z.sqrt_spec m M). cbv zeta in Q.
    destruct (Z.eqb_spec (Z.sqrt m * Z.sqrt m) m); lia. }
  rewrite <- (sqrt_square (IZR s)) by (apply IZR_le; lia).
  apply sqrt_le_1_alt. rewrite <- mult_IZR. apply IZR_le; lia.
Qed.

Theorem root_down_le n x : 0 <= V x -> V (root_down n x) <= sqrt (V x).
Proof.
  intros H. unfold root_down. assert (R := root_ok n x H). destruct (square n x) as [m e], R as [M ->].
  eapply Rle_trans; [apply round_down_le|]. unfold V; cbn [mant expo]. big.
  apply Rmult_le_compat_r; [apply bpow_ge_0|]. apply sqrt_floor, M.
Qed.

Theorem root_up_ge n x : 0 <= V x -> sqrt (V x) <= V (root_up n x).
Proof.
  intros H. unfold root_up. assert (R := root_ok n x H). destruct (square n x) as [m e], R as [M ->].
  eapply Rle_trans; [|apply round_up_ge]. unfold V; cbn [mant expo].
  apply Rmult_le_compat_r; [apply bpow_ge_0|].
  replace [if BigZ.eqb _ _ then BigZ.sqrt m else _]%bigZ
    with (let s := Z.sqrt [m]%bigZ in if s * s =? [m]%bigZ then s else s + 1)%Z.
  - apply sqrt_ceil, M.
  - cbv zeta. big. destruct (Z.eqb _ _); big; reflexivity.
Qed.

Theorem up_root_ge x : 0 <= V x -> sqrt (V x) <= V (up_root x).
Proof. apply root_up_ge. Qed.
