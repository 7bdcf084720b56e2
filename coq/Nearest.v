(** Rounding the numbers of the checker to the nearest multiple of a power of two, and to the nearest float.

    [to_grid] and [nearest] are Flocq's [round] with [Znearest], as equalities. They compute the floor [h] of
    twice the number, in units of the grid, and whether that is exact: an even [h] stands for a number that
    is rounded down, an odd one for a number that is rounded up, and an odd and exact one for a tie. *)
From Coq Require Import Reals Lra Lia ZArith Bool.
From Flocq Require Import Core.
From Bignums Require Import BigZ BigN.
From Lastbit Require Import Dyadic.
Open Scope R_scope.

(** * Grids *)

(** Where halves go. *)
Inductive tie := TieUp | TieEven | TieAway.

(** Whether [q + 1/2] goes up. *)
Definition goes_up (t : tie) (q : Z) : bool :=
  match t with TieUp => true | TieEven => negb (Z.even q) | TieAway => (0 <=? q)%Z end.
Definition goes_up_big (t : tie) (q : bigZ) : bool :=
  match t with TieUp => true | TieEven => negb (BigZ.even q) | TieAway => BigZ.leb 0 q end.
Notation Znear t := (Znearest (goes_up t)).

(** The integer nearest to [x], from [h], the floor of [2*x], and whether [2*x = h]. *)
Definition from_half (t : tie) (h : bigZ) (exact : bool) : bigZ :=
  let q := BigZ.shiftr h 1 in
  if BigZ.even h then q
  else if exact && negb (goes_up_big t q) then q else BigZ.succ q.

Lemma goes_up_big_ok t q : goes_up_big t q = goes_up t [q]%bigZ.
Proof. destruct t; cbn [goes_up goes_up_big]; big; reflexivity. Qed.

Lemma from_half_ok t h (exact : bool) x : [h]%bigZ = Zfloor (2 * x) ->
  (if exact then IZR [h]%bigZ = 2 * x else IZR [h]%bigZ <> 2 * x) ->
  [from_half t h exact]%bigZ = Znear t x.
Proof.
  intros H E. assert (L := Zfloor_lb (2 * x)). assert (U := Zfloor_ub (2 * x)). rewrite <- H in L, U.
  unfold from_half. rewrite BigZ.spec_even, goes_up_big_ok, BigZ.spec_shiftr.
  change [1]%bigZ with 1%Z. rewrite <- Z.div2_spec.
  assert (Q := Z.div2_odd [h]%bigZ). rewrite <- Z.negb_even in Q.
  set (q := Z.div2 [h]%bigZ) in *.
  assert (Eq : [BigZ.shiftr h 1]%bigZ = q) by (big; symmetry; apply Z.div2_spec).
  assert (IQ := f_equal IZR Q). rewrite plus_IZR, mult_IZR in IQ.
  unfold Znearest. destruct (Z.even [h]%bigZ); cbn in IQ.
  - replace (Zfloor x) with q by (symmetry; apply Zfloor_imp; rewrite plus_IZR; lra).
    rewrite Rcompare_Lt by lra. exact Eq.
  - replace (Zfloor x) with q by (symmetry; apply Zfloor_imp; rewrite plus_IZR; lra).
    replace (Zceil x) with (q + 1)%Z
      by (symmetry; apply Zceil_imp; replace (q + 1 - 1)%Z with q by lia; rewrite plus_IZR; lra).
    destruct exact; cbn [andb].
    + rewrite Rcompare_Eq by lra. destruct (goes_up t q); cbn [negb]; big; lia.
    + rewrite Rcompare_Gt by lra. big; lia.
Qed.

(** The multiple of [2^k] nearest to [x]. *)
Definition to_grid (k : bigZ) (t : tie) (x : dy) : dy :=
  if BigZ.leb k (expo x) then x
  else let s := BigZ.pred (k - expo x) in
       let h := BigZ.shiftr (mant x) s in
       D (from_half t h (BigZ.eqb (BigZ.shiftl h s) (mant x))) k.

Theorem V_to_grid k t x : V (to_grid k t x) = round radix2 (FIX_exp [k]%bigZ) (Znear t) (V x).
Proof.
  unfold to_grid. big. destruct (Z.leb_spec [k]%bigZ [expo x]%bigZ) as [K|K].
  - symmetry. apply round_multiple; [apply valid_rnd_N|exact K].
  - rewrite round_FIX. unfold V at 1; cbn [mant expo]. f_equal. f_equal.
    set (s := BigZ.pred (k - expo x)).
    assert (S : (0 <= [s]%bigZ)%Z /\ [k]%bigZ = ([expo x]%bigZ + [s]%bigZ + 1)%Z)
      by (unfold s; rewrite BigZ.spec_pred, BigZ.spec_sub; lia).
    destruct S as [S ->]. clearbody s.
    assert (X : 2 * (V x * bpow radix2 (- ([expo x]%bigZ + [s]%bigZ + 1))) =
                IZR [mant x]%bigZ / IZR (2 ^ [s]%bigZ)).
    { rewrite <- V_scaled by exact S. rewrite (Z.opp_add_distr _ 1), bpow_plus.
      change (bpow radix2 (- (1))) with (/ 2). field. }
    assert (P : (2 ^ [s]%bigZ <> 0)%Z) by (apply Z.pow_nonzero; lia).
    apply from_half_ok; rewrite X.
    + rewrite Zfloor_div by exact P. big. apply Z.shiftr_div_pow2, S.
    + apply IZR_neq in P. big. rewrite Z.shiftl_mul_pow2, Z.shiftr_div_pow2 by exact S.
      destruct (Z.eqb_spec ([mant x]%bigZ / 2 ^ [s]%bigZ * 2 ^ [s]%bigZ) [mant x]%bigZ) as [E|E].
      * rewrite <- E at 2. rewrite mult_IZR. field. exact P.
      * intros F. apply E, eq_IZR. rewrite mult_IZR, F. field. exact P.
Qed.

(** How far apart two numbers may be on the grid that are at most [d] apart. *)
Definition cells_apart (k : bigZ) (t : tie) (d : dy) : dy :=
  let c := ceil_to k d in
  match t with
  | TieUp => c
  | _ => if is_zero d then c else if deqb c d then dadd c (dpow k) else c
  end.

(** Both are at most 1/2 away from where they go. *)
Lemma near_apart t x y c : Rabs (x - y) < IZR c -> (Z.abs (Znear t x - Znear t y) <= c)%Z.
Proof.
  intros H%Rabs_lt_inv.
  assert (X := Rabs_le_inv _ _ (Znearest_half (goes_up t) x)).
  assert (Y := Rabs_le_inv _ _ (Znearest_half (goes_up t) y)).
  apply Z.lt_succ_r, lt_IZR. rewrite abs_IZR, minus_IZR, succ_IZR. apply Rabs_lt; lra.
Qed.

(** Halves that go up all go the same way. *)
Lemma near_apart_up x y c : Rabs (x - y) <= IZR c -> (Z.abs (Znear TieUp x - Znear TieUp y) <= c)%Z.
Proof.
  assert (F : forall z, IZR (Znear TieUp z) <= z + / 2 < IZR (Znear TieUp z) + 1).
  { intros z. unfold Znearest. assert (A := Zfloor_lb z). assert (B := Zfloor_ub z).
    destruct (Rcompare_spec (z - IZR (Zfloor z)) (/ 2)) as [R|R|R]; cbn [goes_up]; [lra| |];
      rewrite Zceil_floor_neq, plus_IZR by lra; lra. }
  intros H%Rabs_le_inv. assert (X := F x). assert (Y := F y).
  apply Z.lt_succ_r, lt_IZR. rewrite abs_IZR, minus_IZR, succ_IZR. apply Rabs_lt; lra.
Qed.

Theorem cells_apart_ok k t d x y : Rabs (x - y) <= V d ->
  Rabs (round radix2 (FIX_exp [k]%bigZ) (Znear t) x - round radix2 (FIX_exp [k]%bigZ) (Znear t) y)
    <= V (cells_apart k t d).
Proof.
  intros H. rewrite !round_FIX.
  set (u := bpow radix2 [k]%bigZ). set (v := bpow radix2 (- [k]%bigZ)).
  assert (U : 0 < u) by apply bpow_gt_0. assert (W : 0 < v) by apply bpow_gt_0.
  assert (UV : u * v = 1) by (unfold u, v; rewrite <- bpow_plus, Z.add_opp_diag_r; reflexivity).
  assert (S : Rabs (x * v - y * v) <= V d * v).
  { rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_pos_eq v) by lra. apply Rmult_le_compat_r; lra. }
  assert (C := Zceil_ub (V d * v)).
  assert (E : V (ceil_to k d) = IZR (Zceil (V d * v)) * u) by (rewrite V_ceil_to; apply round_FIX).
  assert (G : forall c, (Z.abs (Znear t (x * v) - Znear t (y * v)) <= c)%Z ->
    Rabs (IZR (Znear t (x * v)) * u - IZR (Znear t (y * v)) * u) <= IZR c * u).
  { intros c B. rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_pos_eq u), <- minus_IZR, <- abs_IZR by lra.
    apply Rmult_le_compat_r; [lra|apply IZR_le, B]. }
  assert (O : Rabs (IZR (Znear t (x * v)) * u - IZR (Znear t (y * v)) * u) <=
    V (if is_zero d then ceil_to k d
       else if deqb (ceil_to k d) d then dadd (ceil_to k d) (dpow k) else ceil_to k d)).
  { destruct (is_zero_spec d) as [Z|Z].
    - replace y with x by (rewrite Z in H; apply Rabs_le_inv in H; lra).
      rewrite Rminus_eq_0, Rabs_R0, E, Z, Rmult_0_l, Zceil_IZR. lra.
    - destruct (deqb_spec (ceil_to k d) d) as [Q|Q].
      + rewrite V_add, V_pow, E. fold u.
        replace (_ * u + u) with (IZR (Zceil (V d * v) + 1) * u) by (rewrite plus_IZR; lra).
        apply G, near_apart. rewrite plus_IZR. lra.
      + rewrite E. apply G, near_apart. apply Rle_lt_trans with (1 := S).
        destruct C as [C|C]; [exact C|]. exfalso. apply Q. rewrite E, <- C. nra. }
  destruct t; [|exact O|exact O].
  cbn [cells_apart]. rewrite E. apply G, near_apart_up. lra.
Qed.

(** * The floats of a format: [p] bits, multiples of [2^e] *)

(** The float nearest to [x], ties to even. *)
Definition nearest (p e : bigZ) (x : dy) : dy :=
  if is_zero x then dzero else to_grid (grid p e x) TieEven x.

(** The float nearest to [x / y]. *)
Definition nearest_quotient (p e : bigZ) (x y : dy) : dy :=
  if is_zero x then dzero else
  let d := (floor_log2 x - floor_log2 y)%bigZ in
  let l := if dlt (dabs x) (dscale d (dabs y)) then d else BigZ.succ d in
  let k := BigZ.max (l - p) e in
  let s := BigZ.succ (expo x - expo y - k) in
  let n := BigZ.shiftl (mant x) (BigZ.max 0 s) in
  let m := BigZ.shiftl (mant y) (BigZ.max 0 (- s)) in
  let h := BigZ.div n m in
  D (from_half TieEven h (BigZ.eqb (h * m) n)) k.

Definition is_float (p e : bigZ) (x : dy) : bool := deqb (nearest p e x) x.

(** The float after the float [x]. *)
Definition next_float (p e : bigZ) (x : dy) : dy :=
  if is_zero x then dpow e
  else let l := floor_log2 x in
       let k := if deqb (dneg x) (dpow l) then l else BigZ.succ l in
       dadd x (dpow (BigZ.max (k - p) e)).

Theorem V_nearest p e x :
  V (nearest p e x) = round radix2 (FLT_exp [e]%bigZ [p]%bigZ) ZnearestE (V x).
Proof.
  unfold nearest. destruct (is_zero_spec x) as [H|H].
  - rewrite H, round_0, V_zero; [reflexivity|apply valid_rnd_N].
  - rewrite V_to_grid, round_grid by exact H. reflexivity.
Qed.

Theorem is_float_iff p e x : (0 < [p]%bigZ)%Z ->
  is_float p e x = true <-> generic_format radix2 (FLT_exp [e]%bigZ [p]%bigZ) (V x).
Proof.
  intros P. unfold is_float. rewrite deqb_iff, V_nearest. split.
  - intros <-. apply generic_format_round; [apply FLT_exp_valid, P|apply valid_rnd_N].
  - intros H. apply round_generic; [apply valid_rnd_N|exact H].
Qed.

Theorem V_next_float p e x : (0 < [p]%bigZ)%Z ->
  V (next_float p e x) = succ radix2 (FLT_exp [e]%bigZ [p]%bigZ) (V x).
Proof.
  intros P. unfold next_float, succ. destruct (is_zero_spec x) as [H|H].
  - rewrite H, Rle_bool_true, V_pow, ulp_FLT_0 by (exact P || lra). lra.
  - rewrite V_add, V_pow, BigZ.spec_max, BigZ.spec_sub.
    assert (L := floor_log2_ok x H). assert (M := mag_V x H).
    destruct (Rle_bool_spec 0 (V x)) as [S|S].
    + rewrite ulp_neq_0 by exact H. unfold cexp, FLT_exp. rewrite M.
      destruct (deqb_spec (dneg x) (dpow (floor_log2 x))) as [E|E]; [|big; reflexivity].
      rewrite V_neg, V_pow in E. generalize (bpow_gt_0 radix2 [floor_log2 x]%bigZ). lra.
    + unfold pred_pos. rewrite ulp_neq_0, mag_opp, cexp_opp by lra. unfold cexp, FLT_exp. rewrite M.
      replace ([floor_log2 x]%bigZ + 1 - 1)%Z with [floor_log2 x]%bigZ by lia.
      destruct (deqb_spec (dneg x) (dpow (floor_log2 x))) as [E|E]; rewrite V_neg, V_pow in E.
      * rewrite Req_bool_true by exact E. lra.
      * rewrite Req_bool_false by exact E. big. lra.
Qed.

(** The binade of a quotient is found by one comparison. *)
Lemma mag_quotient x y : V x <> 0 -> V y <> 0 ->
  let d := (floor_log2 x - floor_log2 y)%bigZ in
  mag radix2 (V x / V y) = [if dlt (dabs x) (dscale d (dabs y)) then d else BigZ.succ d]%bigZ :> Z.
Proof.
  intros Hx Hy d. assert (X := floor_log2_ok x Hx). assert (Y := floor_log2_ok y Hy).
  apply mag_unique. set (q := Rabs (V x / V y)).
  assert (Q : q * Rabs (V y) = Rabs (V x)) by (unfold q; rewrite <- Rabs_mult; f_equal; field; exact Hy).
  apply Rabs_pos_lt in Hy.
  set (a := [floor_log2 x]%bigZ) in *. set (b := [floor_log2 y]%bigZ) in *.
  assert (E : [d]%bigZ = (a - b)%Z) by apply BigZ.spec_sub.
  assert (L : bpow radix2 ([d]%bigZ - 1) <= q).
  { apply Rmult_le_reg_r with (1 := Hy). rewrite Q. apply Rle_trans with (2 := proj1 X).
    replace (bpow radix2 a) with (bpow radix2 ([d]%bigZ - 1) * bpow radix2 (b + 1))
      by (rewrite <- bpow_plus; f_equal; lia).
    apply Rmult_le_compat_l; [apply bpow_ge_0|lra]. }
  assert (U : q < bpow radix2 ([d]%bigZ + 1)).
  { apply Rmult_lt_reg_r with (1 := Hy). rewrite Q. apply Rlt_le_trans with (1 := proj2 X).
    replace (bpow radix2 (a + 1)) with (bpow radix2 ([d]%bigZ + 1) * bpow radix2 b)
      by (rewrite <- bpow_plus; f_equal; lia).
    apply Rmult_le_compat_l; [apply bpow_ge_0|lra]. }
  destruct (dlt_spec (dabs x) (dscale d (dabs y))) as [C|C]; rewrite V_scale, !V_abs in C.
  - split; [exact L|]. apply Rmult_lt_reg_r with (1 := Hy). lra.
  - rewrite BigZ.spec_succ. split; [|exact U]. replace ([d]%bigZ + 1 - 1)%Z with [d]%bigZ by lia.
    apply Rmult_le_reg_r with (1 := Hy). lra.
Qed.

Lemma bpow_parts s : bpow radix2 s = IZR (2 ^ Z.max 0 s) / IZR (2 ^ Z.max 0 (- s)).
Proof.
  change 2%Z with (radix_val radix2). rewrite !IZR_Zpower by lia.
  unfold Rdiv. rewrite <- bpow_opp, <- bpow_plus. f_equal. lia.
Qed.

Theorem V_nearest_quotient p e x y : V y <> 0 ->
  V (nearest_quotient p e x y) = round radix2 (FLT_exp [e]%bigZ [p]%bigZ) ZnearestE (V x / V y).
Proof.
  intros Hy. unfold nearest_quotient. destruct (is_zero_spec x) as [H|H].
  - rewrite H. unfold Rdiv. rewrite Rmult_0_l, round_0, V_zero; [reflexivity|apply valid_rnd_N].
  - unfold round, scaled_mantissa, cexp, FLT_exp, F2R; cbn [Fnum Fexp].
    rewrite (mag_quotient x y H Hy).
    set (l := if dlt _ _ then _ else _). clearbody l. apply V_neq_0 in Hy.
    unfold V at 1; cbn [mant expo]. rewrite BigZ.spec_max, BigZ.spec_sub.
    set (k := BigZ.max (l - p) e). replace (Z.max _ _) with [k]%bigZ by (unfold k; big; reflexivity).
    clearbody k. f_equal. f_equal.
    set (s := BigZ.succ (expo x - expo y - k)).
    set (n := BigZ.shiftl (mant x) _). set (m := BigZ.shiftl (mant y) _).
    assert (N : [n]%bigZ = ([mant x]%bigZ * 2 ^ Z.max 0 [s]%bigZ)%Z)
      by (unfold n; big; apply Z.shiftl_mul_pow2; lia).
    assert (M : [m]%bigZ = ([mant y]%bigZ * 2 ^ Z.max 0 (- [s]%bigZ))%Z)
      by (unfold m; big; apply Z.shiftl_mul_pow2; lia).
    assert (S : [s]%bigZ = ([expo x]%bigZ - [expo y]%bigZ - [k]%bigZ + 1)%Z) by (unfold s; big; reflexivity).
    assert (P : (2 ^ Z.max 0 (- [s]%bigZ) <> 0)%Z) by (apply Z.pow_nonzero; lia).
    assert (M0 : ([m]%bigZ <> 0)%Z) by (rewrite M; lia).
    assert (Q : 2 * (V x / V y * bpow radix2 (- [k]%bigZ)) = IZR [n]%bigZ / IZR [m]%bigZ).
    { rewrite N, M, !mult_IZR.
      transitivity (IZR [mant x]%bigZ / IZR [mant y]%bigZ * bpow radix2 [s]%bigZ).
      - rewrite S. unfold V, Z.sub. rewrite !bpow_plus, !bpow_opp. change (bpow radix2 1) with 2.
        field. repeat split; try apply Rgt_not_eq, bpow_gt_0. apply IZR_neq, Hy.
      - rewrite bpow_parts. field. split; apply IZR_neq; assumption. }
    clearbody n m. clear - Q M0. apply (from_half_ok TieEven); rewrite Q.
    + rewrite Zfloor_div by exact M0. big. reflexivity.
    + apply IZR_neq in M0 as M1. big.
      destruct (Z.eqb_spec ([n]%bigZ / [m]%bigZ * [m]%bigZ) [n]%bigZ) as [E|E].
      * rewrite <- E at 2. rewrite mult_IZR. field. exact M1.
      * intros F. apply E, eq_IZR. rewrite mult_IZR, F. field. exact M1.
Qed.
