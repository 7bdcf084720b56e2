(** Intervals between two numbers of the checker, and functions of them.

    [isin r i] says that the real number [r] lies in the interval [i]. Each operation comes with the lemma
    that its result contains the results on all numbers of its operands. Sums, products and the like are exact
    images; quotients, roots, logarithms and exponentials are rounded outward. The last two are enclosed (by
    [ExpSeries] and by the functions of the Interval library, at more and more bits) until both ends of an
    enclosure are rounded to one number. *)
From Coq Require Import Reals Lra Lia ZArith Bool.
From Bignums Require Import BigZ BigN.
From Interval Require Import Float.Specific_bigint Float.Specific_ops Float.Specific_sig Float.Basic.
From Interval Require Import Float.Generic_proof Interval.Interval Interval.Float Interval.Float_full.
From Interval Require Import Real.Xreal.
From Flocq Require Import Core.
From Lastbit Require Import Dyadic Nearest ExpSeries.
Open Scope R_scope.

Record itv := I { lo : dy; hi : dy }.

Definition isin (r : R) (i : itv) : Prop := V (lo i) <= r <= V (hi i).

(** * Exact images *)

Definition point (x : dy) : itv := I x x.
Definition ineg (i : itv) : itv := I (dneg (hi i)) (dneg (lo i)).
Definition iadd (i j : itv) : itv := I (dadd (lo i) (lo j)) (dadd (hi i) (hi j)).
Definition imin (i j : itv) : itv := I (dmin (lo i) (lo j)) (dmin (hi i) (hi j)).
Definition imax (i j : itv) : itv := I (dmax (lo i) (lo j)) (dmax (hi i) (hi j)).
Definition hull (i j : itv) : itv := I (dmin (lo i) (lo j)) (dmax (hi i) (hi j)).
Definition iabs (i : itv) : itv :=
  if is_neg (hi i) then ineg i
  else if is_neg (lo i) then I dzero (dmax (dneg (lo i)) (hi i)) else i.
Definition isqr (i : itv) : itv := let j := iabs i in I (dmul (lo j) (lo j)) (dmul (hi j) (hi j)).

(** The product is linear in each operand: its extremes are at ends, and the signs say which.
    First for [lo i >= 0]. *)
Definition imul_pos (i j : itv) : itv :=
  I (dmul (if is_neg (lo j) then hi i else lo i) (lo j)) (dmul (if is_neg (hi j) then lo i else hi i) (hi j)).
Definition imul (i j : itv) : itv :=
  if negb (is_neg (lo i)) then imul_pos i j
  else if negb (is_pos (hi i)) then ineg (imul_pos (ineg i) j)
  else if negb (is_neg (lo j)) then imul_pos j i
  else if negb (is_pos (hi j)) then ineg (imul_pos (ineg j) i)
  else I (dmin (dmul (lo i) (hi j)) (dmul (hi i) (lo j))) (dmax (dmul (lo i) (lo j)) (dmul (hi i) (hi j))).

Definition has_zero (i : itv) : bool := negb (is_pos (lo i)) && negb (is_neg (hi i)).
Definition max_abs (i : itv) : dy := dmax (dabs (lo i)) (dabs (hi i)).
Definition min_abs (i : itv) : dy := if has_zero i then dzero else dmin (dabs (lo i)) (dabs (hi i)).

(** The largest distance of a number of one interval from a number of the other. *)
Definition farthest (i j : itv) : dy := dmax (dsub (hi i) (lo j)) (dsub (hi j) (lo i)).

Ltac split_minmax :=
  unfold Rmin, Rmax in *; repeat match goal with
  | |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b)
  | H : context [Rle_dec ?a ?b] |- _ => destruct (Rle_dec a b)
  end.

Lemma isin_point x : isin (V x) (point x).
Proof. unfold isin, point; cbn; lra. Qed.

Lemma isin_neg r i : isin r i -> isin (- r) (ineg i).
Proof. unfold isin, ineg; cbn [lo hi]. rewrite !V_neg. lra. Qed.

Lemma isin_add r s i j : isin r i -> isin s j -> isin (r + s) (iadd i j).
Proof. unfold isin, iadd; cbn [lo hi]. rewrite !V_add. lra. Qed.

Lemma isin_min r s i j : isin r i -> isin s j -> isin (Rmin r s) (imin i j).
Proof. unfold isin, imin; cbn [lo hi]. rewrite !V_min. split_minmax; lra. Qed.

Lemma isin_max r s i j : isin r i -> isin s j -> isin (Rmax r s) (imax i j).
Proof. unfold isin, imax; cbn [lo hi]. rewrite !V_max. split_minmax; lra. Qed.

Lemma isin_hull_l r i j : isin r i -> isin r (hull i j).
Proof. unfold isin, hull; cbn [lo hi]. rewrite V_min, V_max. split_minmax; lra. Qed.

Lemma isin_hull_r r i j : isin r j -> isin r (hull i j).
Proof. unfold isin, hull; cbn [lo hi]. rewrite V_min, V_max. split_minmax; lra. Qed.

Lemma isin_abs r i : isin r i -> isin (Rabs r) (iabs i).
Proof.
  unfold isin, iabs. destruct (is_neg_spec (hi i)) as [H|H].
  - intros S. cbn [ineg lo hi]. rewrite !V_neg, Rabs_left; lra.
  - destruct (is_neg_spec (lo i)) as [L|L]; cbn [lo hi]; intros S.
    + rewrite V_zero, V_max, V_neg. split; [apply Rabs_pos|]. apply Rabs_le. split_minmax; lra.
    + rewrite Rabs_pos_eq; lra.
Qed.

Lemma iabs_nonneg r i : isin r i -> 0 <= V (lo (iabs i)).
Proof.
  unfold isin, iabs. intros S. destruct (is_neg_spec (hi i)) as [H|H].
  - cbn [ineg lo]. rewrite V_neg. lra.
  - destruct (is_neg_spec (lo i)) as [L|L]; cbn [lo]; [rewrite V_zero|]; lra.
Qed.

Lemma isin_sqr r i : isin r i -> isin (r * r) (isqr i).
Proof.
  intros S. assert (A := isin_abs r i S). assert (P := iabs_nonneg r i S).
  unfold isin, isqr in *; cbn [lo hi]. rewrite !V_mul.
  replace (r * r) with (Rabs r * Rabs r) by (rewrite <- Rabs_mult; apply Rabs_pos_eq, Rle_0_sqr).
  assert (R := Rabs_pos r). split; apply Rmult_le_compat; lra.
Qed.

Lemma isin_mul_pos r s i j : 0 <= V (lo i) -> isin r i -> isin s j -> isin (r * s) (imul_pos i j).
Proof.
  unfold isin, imul_pos; cbn [lo hi]. rewrite !V_mul. intros P R S.
  destruct (is_neg_spec (lo j)), (is_neg_spec (hi j)); split; nra.
Qed.

Theorem isin_mul r s i j : isin r i -> isin s j -> isin (r * s) (imul i j).
Proof.
  intros R S. unfold imul.
  destruct (is_neg_spec (lo i)) as [Li|Li]; cbn [negb]; [|apply isin_mul_pos; assumption].
  destruct (is_pos_spec (hi i)) as [Hi|Hi]; cbn [negb].
  2: { replace (r * s) with (- (- r * s)) by lra. apply isin_neg, isin_mul_pos; [|apply isin_neg, R|exact S].
       cbn [ineg lo]. rewrite V_neg. lra. }
  destruct (is_neg_spec (lo j)) as [Lj|Lj]; cbn [negb].
  2: { rewrite Rmult_comm. apply isin_mul_pos; assumption. }
  destruct (is_pos_spec (hi j)) as [Hj|Hj]; cbn [negb].
  2: { replace (r * s) with (- (- s * r)) by lra. apply isin_neg, isin_mul_pos; [|apply isin_neg, S|exact R].
       cbn [ineg lo]. rewrite V_neg. lra. }
  unfold isin in *; cbn [lo hi]. rewrite V_min, V_max, !V_mul.
  split; split_minmax; destruct (Rle_or_lt 0 r), (Rle_or_lt 0 s); nra.
Qed.

Lemma has_zero_false r i : isin r i -> has_zero i = false -> r <> 0.
Proof.
  unfold isin, has_zero.
  destruct (is_pos_spec (lo i)), (is_neg_spec (hi i)); cbn; intros; lra || discriminate.
Qed.

Lemma max_abs_ge r i : isin r i -> Rabs r <= V (max_abs i).
Proof.
  unfold isin, max_abs. intros S. rewrite V_max, !V_abs. apply Rabs_le.
  unfold Rabs. destruct (Rcase_abs (V (lo i))), (Rcase_abs (V (hi i))); split_minmax; lra.
Qed.

Lemma min_abs_le r i : isin r i -> V (min_abs i) <= Rabs r.
Proof.
  unfold isin, min_abs, has_zero. intros S.
  destruct (is_pos_spec (lo i)), (is_neg_spec (hi i)); cbn [negb andb];
    [lra| | |rewrite V_zero; apply Rabs_pos]; rewrite V_min, !V_abs;
    unfold Rabs; destruct (Rcase_abs (V (lo i))), (Rcase_abs (V (hi i))), (Rcase_abs r); split_minmax; lra.
Qed.

Lemma farthest_ge r s i j : isin r i -> isin s j -> Rabs (r - s) <= V (farthest i j).
Proof.
  unfold isin, farthest. intros R S. rewrite V_max, !V_sub. apply Rabs_le. split_minmax; lra.
Qed.

(** * Rounded outward *)

Definition round_itv (n : bigZ) (i : itv) : itv := I (round_down n (lo i)) (round_up n (hi i)).
(** Ranges are kept with 64 bits, coefficients of linear forms with 40. *)
Definition outward : itv -> itv := round_itv 64.
Definition coefficient : itv -> itv := round_itv 40.

(** The quotient by positive numbers. *)
Definition quotient_pos (i j : itv) : itv :=
  I (quotient_down 64 (lo i) (if is_neg (lo i) then lo j else hi j))
    (quotient_up 64 (hi i) (if is_neg (hi i) then hi j else lo j)).
Definition outward_quotient (i j : itv) : option itv :=
  if is_pos (lo j) then Some (quotient_pos i j)
  else if is_neg (hi j) then Some (quotient_pos (ineg i) (ineg j))
  else None.

Definition outward_root (i : itv) : option itv :=
  if is_neg (lo i) then None else Some (I (root_down 64 (lo i)) (root_up 64 (hi i))).

(** The floats nearest to the numbers of [i] lie between those nearest to its ends, and so do the nearest
    multiples of [2^k]. *)
Definition nearest_itv (p e : bigZ) (i : itv) : itv := I (nearest p e (lo i)) (nearest p e (hi i)).
Definition grid_itv (k : bigZ) (t : tie) (i : itv) : itv := I (to_grid k t (lo i)) (to_grid k t (hi i)).

Lemma isin_round_itv n r i : isin r i -> isin r (round_itv n i).
Proof.
  unfold isin, round_itv; cbn [lo hi].
  generalize (round_down_le n (lo i)) (round_up_ge n (hi i)). lra.
Qed.

Lemma isin_outward r i : isin r i -> isin r (outward i).
Proof. apply isin_round_itv. Qed.

Lemma isin_coefficient r i : isin r i -> isin r (coefficient i).
Proof. apply isin_round_itv. Qed.

Lemma isin_quotient_pos r s i j : 0 < V (lo j) -> isin r i -> isin s j -> isin (r / s) (quotient_pos i j).
Proof.
  unfold isin, quotient_pos; cbn [lo hi]. intros P R S.
  assert (Inv : forall a b, 0 < a <= b -> / b <= / a) by (intros; apply Rinv_le; lra).
  assert (Q : 0 < / s) by (apply Rinv_0_lt_compat; lra).
  assert (Qh := Inv s (V (hi j)) ltac:(lra)). assert (Ql := Inv (V (lo j)) s ltac:(lra)).
  unfold Rdiv. split.
  - eapply Rle_trans; [apply quotient_down_le; destruct (is_neg (lo i)); lra|].
    unfold Rdiv. apply Rle_trans with (V (lo i) * / s); [|apply Rmult_le_compat_r; lra].
    destruct (is_neg_spec (lo i)); nra.
  - eapply Rle_trans; [|apply quotient_up_ge; destruct (is_neg (hi i)); lra].
    unfold Rdiv. apply Rle_trans with (V (hi i) * / s); [apply Rmult_le_compat_r; lra|].
    destruct (is_neg_spec (hi i)); nra.
Qed.

Theorem isin_quotient r s i j k : isin r i -> isin s j -> outward_quotient i j = Some k -> isin (r / s) k.
Proof.
  intros R S. unfold outward_quotient.
  destruct (is_pos_spec (lo j)) as [P|P].
  - intros [= <-]. apply isin_quotient_pos; assumption.
  - destruct (is_neg_spec (hi j)) as [N|N]; [|discriminate]. intros [= <-].
    replace (r / s) with (- r / - s) by (field; unfold isin in S; lra).
    apply isin_quotient_pos; [cbn [ineg lo]; rewrite V_neg; lra|apply isin_neg, R|apply isin_neg, S].
Qed.

Theorem isin_root r i j : isin r i -> outward_root i = Some j -> isin (sqrt r) j.
Proof.
  unfold isin, outward_root. intros R. destruct (is_neg_spec (lo i)) as [N|N]; [discriminate|].
  intros [= <-]; cbn [lo hi]. split.
  - eapply Rle_trans; [apply root_down_le, N|apply sqrt_le_1_alt, R].
  - eapply Rle_trans; [apply sqrt_le_1_alt, R|apply root_up_ge; lra].
Qed.

Theorem isin_nearest p e r i : (0 < [p]%bigZ)%Z -> isin r i ->
  isin (round radix2 (FLT_exp [e]%bigZ [p]%bigZ) ZnearestE r) (nearest_itv p e i).
Proof.
  intros P R. unfold isin, nearest_itv; cbn [lo hi]. rewrite !V_nearest.
  split; (apply round_le; [apply FLT_exp_valid, P|apply valid_rnd_N|apply R]).
Qed.

Theorem isin_grid k t r i : isin r i ->
  isin (round radix2 (FIX_exp [k]%bigZ) (Znear t) r) (grid_itv k t i).
Proof.
  intros R. unfold isin, grid_itv; cbn [lo hi]. rewrite !V_to_grid.
  split; (apply round_le; [apply FIX_exp_valid|apply valid_rnd_N|apply R]).
Qed.

(** * Logarithms and exponentials *)

Module F := SpecificFloat BigIntRadix2.
Module FI := FloatIntervalFull F.

(** The same number for the Interval library. *)
Definition to_F (x : dy) : F.type := Specific_ops.Float (mant x) (expo x).

(** The rounded value of a function, from its enclosures at [bits], [2*bits], ... bits: the first one whose
    ends are rounded to one number. *)
Fixpoint settle (steps : nat) (bits : bigZ) (f : bigZ -> FI.T.I.type) (rnd : dy -> dy) : option dy :=
  match steps with
  | O => None
  | S steps =>
    match f bits with
    | Ibnd (Specific_ops.Float m e) (Specific_ops.Float n d) =>
        let x := rnd (D m e) in
        if deqb x (rnd (D n d)) then Some x else settle steps (2 * bits)%bigZ f rnd
    | _ => None
    end
  end.

Definition round_ln (x : dy) (rnd : dy -> dy) : option dy :=
  settle 7 96 (fun bits => FI.T.ln_fast bits (to_F x)) rnd.

Definition exp_settle (x : dy) (rnd : dy -> dy) : option dy :=
  settle 7 96 (fun bits => FI.T.exp_fast bits (to_F x)) rnd.

(** Next to 1 an enclosure would have to be as fine as the argument is small, but only the side matters.
    Elsewhere the fast bounds are enough, nearly always. *)
Definition near_one (x : dy) : dy := (if is_neg x then dsub else dadd) done (dpow (-90)).
Definition round_exp (x : dy) (rnd : dy -> dy) : option dy :=
  if negb (is_zero x) && BigZ.ltb (floor_log2 x) (-100) then Some (rnd (near_one x))
  else match exp_bounds x with
       | Some (l, h) => let y := rnd l in if deqb y (rnd h) then Some y else exp_settle x rnd
       | None => exp_settle x rnd
       end.

Definition outward_ln (i : itv) : option itv :=
  if is_pos (lo i) then
    match round_ln (lo i) (round_down 64), round_ln (hi i) (round_up 64) with
    | Some x, Some y => Some (I x y)
    | _, _ => None
    end
  else None.
Definition exp_below (x : dy) : option dy := round_exp x (round_down 64).
Definition exp_above (x : dy) : option dy := round_exp x (round_up 64).
Definition up_exp (x : dy) : option dy := round_exp x up.

Lemma toX_F m e : F.toX (Specific_ops.Float m e) = Xreal (V (D m e)).
Proof.
  unfold F.toX, F.toF, V; cbn [mant expo].
  assert (S := BigIntRadix2.mantissa_sign_correct m). unfold BigIntRadix2.MtoZ in S.
  destruct (BigIntRadix2.mantissa_sign m) as [|s p].
  - cbn. rewrite S. f_equal. lra.
  - cbn. f_equal. rewrite FtoR_split. unfold F2R; cbn. destruct S as [-> _]. destruct s; reflexivity.
Qed.

(** What settles lies between two numbers next to the value that are rounded alike. *)
Lemma settle_ok steps bits f rnd r y :
  (forall b, contains (FI.T.I.convert (f b)) (Xreal r)) ->
  settle steps bits f rnd = Some y ->
  exists a b, V a <= r <= V b /\ V y = V (rnd a) /\ V y = V (rnd b).
Proof.
  intros H. revert bits. induction steps as [|steps IH]; intros bits; [discriminate|]. cbn [settle].
  specialize (H bits). destruct (f bits) as [|[|m e] [|n d]]; try discriminate.
  destruct (deqb_spec (rnd (D m e)) (rnd (D n d))) as [E|E]; [|apply IH].
  intros [= <-]. exists (D m e), (D n d). split; [|split; [reflexivity|exact E]].
  unfold FI.T.I.convert in H. cbn in H. rewrite !toX_F in H. exact H.
Qed.

Lemma round_ln_ok x rnd y : 0 < V x -> round_ln x rnd = Some y ->
  exists a b, V a <= ln (V x) <= V b /\ V y = V (rnd a) /\ V y = V (rnd b).
Proof.
  intros P. apply settle_ok. intros b.
  assert (C := FI.T.ln_fast_correct b (to_F x)). unfold to_F in *. rewrite toX_F in C.
  cbn in C. unfold Xln' in C. rewrite is_positive_true in C by exact P. exact C.
Qed.

Lemma exp_settle_ok x rnd y : exp_settle x rnd = Some y ->
  exists a b, V a <= exp (V x) <= V b /\ V y = V (rnd a) /\ V y = V (rnd b).
Proof.
  apply settle_ok. intros b. assert (C := FI.T.exp_fast_correct b (to_F x)).
  unfold to_F in *. rewrite toX_F in C. exact C.
Qed.

Lemma round_exp_ok x rnd y : round_exp x rnd = Some y ->
  (exists a b, V a <= exp (V x) <= V b /\ V y = V (rnd a) /\ V y = V (rnd b)) \/
  (negb (is_zero x) && BigZ.ltb (floor_log2 x) (-100) = true /\ y = rnd (near_one x)).
Proof.
  unfold round_exp. destruct (_ && _); [intros [= <-]; right; auto|intros H; left; revert H].
  destruct (exp_bounds x) as [[l h]|] eqn:B; [|apply exp_settle_ok].
  destruct (deqb_spec (rnd l) (rnd h)) as [E|E]; [|apply exp_settle_ok].
  intros [= <-]. exists l, h. split; [apply exp_bounds_ok, B|split; [reflexivity|exact E]].
Qed.

Theorem isin_ln r i j : isin r i -> outward_ln i = Some j -> isin (ln r) j.
Proof.
  unfold isin, outward_ln. intros R. destruct (is_pos_spec (lo i)) as [P|P]; [|discriminate].
  destruct (round_ln (lo i) (round_down 64)) as [x|] eqn:X; [|discriminate].
  destruct (round_ln (hi i) (round_up 64)) as [y|] eqn:Y; [|discriminate].
  intros [= <-]; cbn [lo hi].
  apply round_ln_ok in X as (a & a' & A & X & _); [|exact P].
  apply round_ln_ok in Y as (b' & b & B & _ & Y); [|lra].
  assert (M : forall u v, 0 < u <= v -> ln u <= ln v)
    by (intros u v [U [H|<-]]; [apply Rlt_le, ln_increasing; assumption|lra]).
  split.
  - apply Rle_trans with (ln (V (lo i))); [rewrite X|apply M; lra].
    apply Rle_trans with (V a); [apply round_down_le|apply A].
  - apply Rle_trans with (ln (V (hi i))); [apply M; lra|rewrite Y].
    apply Rle_trans with (V b); [apply B|apply round_up_ge].
Qed.

Lemma near_one_ok x : negb (is_zero x) && BigZ.ltb (floor_log2 x) (-100) = true ->
  if is_neg x then V (near_one x) <= exp (V x) <= 1 else 1 <= exp (V x) <= V (near_one x).
Proof.
  rewrite andb_true_iff, negb_true_iff, BigZ.spec_ltb, Z.ltb_lt. intros [Z L].
  destruct (is_zero_spec x) as [E|E]; [discriminate|]. clear Z.
  assert (S : Rabs (V x) < bpow radix2 (-90) * / 2).
  { apply Rlt_le_trans with (1 := proj2 (floor_log2_ok x E)).
    change (/ 2) with (bpow radix2 (-1)). rewrite <- bpow_plus. apply bpow_le.
    change [-100]%bigZ with (-100)%Z in L. lia. }
  assert (T : bpow radix2 (-90) < 1) by (change 1 with (bpow radix2 0); apply bpow_lt; lia).
  unfold near_one. apply Rabs_lt_inv in S.
  assert (P := exp_ineq1_le (V x)). assert (Q := exp_ineq1_le (- V x)). rewrite exp_Ropp in Q.
  assert (I : exp (V x) * / exp (V x) = 1) by (apply Rinv_r, Rgt_not_eq, exp_pos).
  assert (X := exp_pos (V x)). set (e := exp (V x)) in *. set (d := / e) in *. clearbody e d.
  destruct (is_neg_spec x) as [N|N]; [rewrite V_sub|rewrite V_add]; rewrite V_one, V_pow;
    change [-90]%bigZ with (-90)%Z; set (t := bpow radix2 (-90)) in *; clearbody t.
  - split; [lra|]. apply Rnot_lt_le. intros H. nra.
  - split; [lra|]. apply Rnot_lt_le. intros H. assert (H1 : (1 + t) * (1 - V x) < 1) by nra. nra.
Qed.

(** What lies above 1 by less than a unit is rounded down to 1, and what lies below it is rounded up to 1. *)
Lemma round_exp_below n x y :
  dle (round_down n (dadd done (dpow (-90)))) done = true ->
  round_exp x (round_down n) = Some y -> V y <= exp (V x).
Proof.
  intros One [(a & b & A & Y & _)|[E ->]]%round_exp_ok.
  - rewrite Y. eapply Rle_trans; [apply round_down_le|apply A].
  - assert (N := near_one_ok x E). unfold near_one in *. destruct (is_neg x).
    + eapply Rle_trans; [apply round_down_le|apply N].
    + apply dle_ok in One. rewrite V_one in One. lra.
Qed.

Lemma round_exp_above n x y :
  dle done (round_up n (dsub done (dpow (-90)))) = true ->
  round_exp x (round_up n) = Some y -> exp (V x) <= V y.
Proof.
  intros One [(a & b & B & _ & Y)|[E ->]]%round_exp_ok.
  - rewrite Y. eapply Rle_trans; [apply B|apply round_up_ge].
  - assert (N := near_one_ok x E). unfold near_one in *. destruct (is_neg x).
    + apply dle_ok in One. rewrite V_one in One. lra.
    + eapply Rle_trans; [apply N|apply round_up_ge].
Qed.

Theorem exp_below_le x y : exp_below x = Some y -> V y <= exp (V x).
Proof. apply round_exp_below. vm_compute. reflexivity. Qed.

Theorem exp_above_ge x y : exp_above x = Some y -> exp (V x) <= V y.
Proof. apply round_exp_above. vm_compute. reflexivity. Qed.

Theorem up_exp_ge x y : up_exp x = Some y -> exp (V x) <= V y.
Proof. apply round_exp_above. vm_compute. reflexivity. Qed.

Theorem isin_exp r i x y : isin r i -> exp_below (lo i) = Some x -> exp_above (hi i) = Some y ->
  isin (exp r) (I x y).
Proof.
  unfold isin; cbn [lo hi]. intros R X%exp_below_le Y%exp_above_ge.
  assert (M : forall u v, u <= v -> exp u <= exp v)
    by (intros u v [H|<-]; [apply Rlt_le, exp_increasing, H|lra]).
  split; eapply Rle_trans; eauto; apply M, R.
Qed.
