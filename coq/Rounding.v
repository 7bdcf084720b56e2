(** Rounding to the nearest float, for any IEEE binary format.

    The format has `prec` bits and exponents up to `emax`: (53, 1024) is binary64 and (24, 128) binary32.
    With Flocq's definitions, its finite numbers are the multiples m * 2^e with |m| < 2^prec and
    3 - emax - prec <= e <= emax - prec. Proved here, each fact as one lemma:

    - how far a number is from its nearest float, by its magnitude, and for sums, roots and scalings by
      2^k, which are exact where others are not;
    - that differences of near numbers, integers and numbers rounded to a grid are floats;
    - that the operations of IEEE arithmetic give finite numbers, the rounded exact values, where these are
      at most 2^(emax - 2);
    - how far a library's result within k units in the last place is off, and that ln of a float is not
      tiny. *)
From Coq Require Import Reals Lra Lia ZArith.
From Flocq Require Import Core Relative Plus_error Mult_error Sterbenz BinarySingleNaN.
From Lastbit Require Import RealRules.
Open Scope R_scope.

Section Format.
Context (prec emax : Z) {Hprec : Prec_gt_0 prec} {Hmax : Prec_lt_emax prec emax}.
Notation fexp := (SpecFloat.fexp prec emax).
Notation float := (binary_float prec emax).
Notation pow2 := (bpow radix2).

(** The float nearest to x, halves to even, if there were no largest one. *)
Definition rnd (x : R) : R := round radix2 fexp ZnearestE x.

(** x is a float, if there were no largest one. *)
Definition is_float (x : R) : Prop := generic_format radix2 fexp x.

(** u, half the distance from 1 to the next float. *)
Definition unit_roundoff : R := pow2 (- prec).

(** Half the least subnormal number. *)
Definition tau : R := pow2 (2 - emax - prec).

Definition least_normal : R := pow2 (2 - emax).

(** The unit in the last place: 2^(e - prec) for 2^(e - 1) <= |x| < 2^e, and at least 2*tau. *)
Definition float_ulp (x : R) : R := ulp radix2 fexp x.

Notation u := unit_roundoff.

Local Instance valid : Valid_exp fexp := fexp_correct prec emax Hprec.
Local Instance monotone : Monotone_exp fexp := fexp_monotone prec emax.

Lemma prec_pos : (0 < prec)%Z.
Proof. exact Hprec. Qed.

Lemma prec_below : (prec < emax)%Z.
Proof. exact Hmax. Qed.

Lemma fexp_FLT : fexp = FLT_exp (3 - emax - prec) prec.
Proof. reflexivity. Qed.

Lemma half_pow2 e : pow2 (e - 1) = pow2 e / 2.
Proof. unfold Zminus. rewrite bpow_plus. simpl. lra. Qed.

(** * The nearest float *)

Lemma rnd_le a b : a <= b -> rnd a <= rnd b.
Proof. apply round_le; auto with typeclass_instances. Qed.

Lemma rnd_is_float v : is_float (rnd v).
Proof. apply generic_format_round; auto with typeclass_instances. Qed.

Lemma rnd_exact x : is_float x -> rnd x = x.
Proof. apply round_generic; auto with typeclass_instances. Qed.

Lemma rnd_error_exact x : is_float x -> Rabs (rnd x - x) <= 0.
Proof. intros H. rewrite rnd_exact, Rminus_eq_0, Rabs_R0 by exact H. apply Rle_refl. Qed.

Lemma rnd_nearest v x : is_float x -> Rabs (rnd v - v) <= Rabs (x - v).
Proof. intros H. now apply (round_N_pt radix2 fexp (fun n => negb (Z.even n)) v). Qed.

(** * Floats *)

Lemma is_float_B2R (f : float) : is_float (B2R f).
Proof. apply generic_format_B2R. Qed.

Lemma is_float_opp x : is_float x -> is_float (- x).
Proof. apply generic_format_opp. Qed.

Lemma is_float_pow2 e : (3 - emax - prec <= e)%Z -> is_float (pow2 e).
Proof.
  intros He. apply generic_format_bpow. rewrite fexp_FLT. unfold FLT_exp. pose proof prec_pos. lia.
Qed.

(** n * 2^e with at most prec bits, or 2^prec itself. *)
Lemma is_float_multiple n e :
  (Z.abs n <= 2 ^ prec)%Z -> (3 - emax - prec <= e)%Z -> is_float (IZR n * pow2 e).
Proof.
  intros Hn He. pose proof prec_pos. destruct (Z.eq_dec (Z.abs n) (2 ^ prec)) as [E|N].
  - assert (F : is_float (pow2 (prec + e))) by (apply is_float_pow2; lia).
    rewrite bpow_plus, <- (IZR_Zpower radix2 prec) in F by lia.
    change (radix2 ^ prec)%Z with (2 ^ prec)%Z in F.
    destruct (Z.abs_eq_cases n (2 ^ prec)) as [-> | ->]; [lia|exact F|].
    rewrite opp_IZR, <- Ropp_mult_distr_l. now apply is_float_opp.
  - apply (generic_format_FLT radix2 (3 - emax - prec) prec).
    exists (Float radix2 n e); [reflexivity|simpl; lia|exact He].
Qed.

Lemma is_float_0 : is_float 0.
Proof. apply generic_format_0. Qed.

Lemma is_float_1 : is_float 1.
Proof.
  change 1 with (pow2 0). apply is_float_pow2. pose proof prec_pos. pose proof prec_below. lia.
Qed.

(** The multiple of 2^k nearest to a float is a float: it is the float itself, or at most 2^prec * 2^k. *)
Lemma is_float_grid k choice x : (3 - emax - prec <= k)%Z -> is_float x ->
  is_float (round radix2 (FIX_exp k) (Znearest choice) x).
Proof.
  intros Hk Fx. destruct (Z_le_gt_dec k (cexp radix2 fexp x)) as [C|C].
  - rewrite round_generic; auto with typeclass_instances.
    apply generic_inclusion_mag with (2 := Fx). intros _. exact C.
  - apply is_float_multiple; [|exact Hk]. unfold scaled_mantissa, cexp, FIX_exp.
    assert (B : Rabs x < pow2 (prec + k)).
    { apply Rlt_le_trans with (pow2 (mag radix2 x)); [apply bpow_mag_gt|].
      apply bpow_le. unfold cexp in C. rewrite fexp_FLT in C. unfold FLT_exp in C. lia. }
    assert (S : Rabs (x * pow2 (- k)) <= IZR (2 ^ prec)).
    { change 2%Z with (radix_val radix2). rewrite IZR_Zpower by (pose proof prec_pos; lia).
      rewrite Rabs_mult, (Rabs_pos_eq (pow2 _)) by apply bpow_ge_0.
      replace prec with ((prec + k) + - k)%Z by ring. rewrite bpow_plus.
      apply Rmult_le_compat_r; [apply bpow_ge_0|lra]. }
    apply Rabs_le_inv in S. rewrite <- opp_IZR in S. apply Z.abs_le. split.
    + apply Z.le_trans with (2 := Znearest_ge_floor choice _). now apply Zfloor_lub.
    + apply Z.le_trans with (1 := Znearest_le_ceil choice _). now apply Zceil_glb.
Qed.

(** * The error of rounding *)

Lemma ulp_le_pow2 v m e : (3 - emax <= e)%Z -> Rabs v <= m -> m < pow2 e -> float_ulp v <= pow2 (e - prec).
Proof.
  intros He Hv Hm. unfold float_ulp. destruct (Req_dec v 0) as [->|N].
  - rewrite fexp_FLT, ulp_FLT_0 by exact prec_pos. apply bpow_le. lia.
  - rewrite ulp_neq_0 by exact N. apply bpow_le. unfold cexp. rewrite fexp_FLT. unfold FLT_exp.
    assert (mag radix2 v <= e)%Z by (apply mag_le_bpow; [exact N|lra]). lia.
Qed.

(** Numbers up to 2^e are at most half an ulp of the numbers below 2^e from their nearest floats. *)
Lemma rnd_error_half_ulp v m e : (3 - emax <= e)%Z -> Rabs v <= m -> m <= pow2 e ->
  Rabs (rnd v - v) <= pow2 (e - prec - 1).
Proof.
  intros He Hv Hm. destruct (Rle_lt_or_eq_dec (Rabs v) (pow2 e)) as [L|E]; [lra| |].
  - apply Rle_trans with (/ 2 * float_ulp v); [apply error_le_half_ulp; auto with typeclass_instances|].
    rewrite half_pow2. pose proof (ulp_le_pow2 v (Rabs v) e He (Rle_refl _) L). lra.
  - apply Rle_trans with 0; [|apply bpow_ge_0]. apply rnd_error_exact.
    assert (F : is_float (pow2 e)) by (apply is_float_pow2; pose proof prec_pos; lia).
    rewrite <- E in F. unfold Rabs in F. destruct Rcase_abs; [|exact F].
    rewrite <- (Ropp_involutive v). now apply is_float_opp.
Qed.

(** Little beyond 2^(e-1): no number there is farther from its nearest float than from 2^(e-1). *)
Lemma rnd_error_beyond v m e : (3 - emax < e)%Z -> Rabs v <= m -> pow2 (e - 1) <= m ->
  Rabs (rnd v - v) <= Rmax (pow2 (e - 1 - prec - 1)) (m - pow2 (e - 1)).
Proof.
  intros He Hv Hm. destruct (Rle_lt_dec (Rabs v) (pow2 (e - 1))) as [L|L].
  - apply Rle_trans with (2 := Rmax_l _ _). apply rnd_error_half_ulp with (2 := L); [lia|apply Rle_refl].
  - apply Rle_trans with (2 := Rmax_r _ _).
    assert (F : is_float (pow2 (e - 1))) by (apply is_float_pow2; pose proof prec_pos; lia).
    destruct (Rle_lt_dec 0 v) as [P|P].
    + apply Rle_trans with (1 := rnd_nearest v _ F). rewrite Rabs_pos_eq in L, Hv by exact P.
      rewrite Rabs_left1; lra.
    + apply Rle_trans with (1 := rnd_nearest v _ (is_float_opp _ F)). rewrite Rabs_left in L, Hv by exact P.
      rewrite Rabs_pos_eq; lra.
Qed.

Lemma rnd_error_small v : Rabs v <= pow2 (3 - emax) -> Rabs (rnd v - v) <= tau.
Proof.
  intros H. unfold tau. replace (2 - emax - prec)%Z with ((3 - emax) - prec - 1)%Z by ring.
  apply rnd_error_half_ulp with (2 := H); [lia|apply Rle_refl].
Qed.

Lemma rnd_error_normal v : least_normal <= Rabs v -> Rabs (rnd v - v) <= u * Rabs v.
Proof.
  intros H. replace u with (/ 2 * pow2 (- prec + 1)).
  - apply (relative_error_N_FLT radix2 (3 - emax - prec) prec prec_pos).
    now replace (3 - emax - prec + prec - 1)%Z with (2 - emax)%Z by ring.
  - unfold unit_roundoff. rewrite bpow_plus. simpl. lra.
Qed.

Lemma unit_roundoff_pos : 0 < u.
Proof. apply bpow_gt_0. Qed.

Lemma rnd_error_any v : Rabs (rnd v - v) <= u * Rabs v + tau.
Proof.
  assert (0 <= u * Rabs v) by (apply Rmult_le_pos; [apply Rlt_le, unit_roundoff_pos|apply Rabs_pos]).
  assert (0 < tau) by apply bpow_gt_0.
  destruct (Rle_lt_dec least_normal (Rabs v)) as [N|S].
  - pose proof (rnd_error_normal v N). lra.
  - assert (Rabs (rnd v - v) <= tau); [|lra]. apply rnd_error_small.
    apply Rle_trans with least_normal; [lra|]. apply bpow_le. lia.
Qed.

(** A sum of floats is a multiple of the least subnormal number: where it is subnormal it is exact. *)
Lemma rnd_error_sum x y : is_float x -> is_float y -> Rabs (rnd (x + y) - (x + y)) <= u * Rabs (x + y).
Proof.
  intros Fx Fy. destruct (Rle_lt_dec least_normal (Rabs (x + y))) as [N|S]; [now apply rnd_error_normal|].
  apply Rle_trans with 0.
  - apply rnd_error_exact, (FLT_format_plus_small radix2 (3 - emax - prec) prec); try assumption.
    apply Rlt_le, Rlt_le_trans with (1 := S), bpow_le. lia.
  - apply Rmult_le_pos; [apply Rlt_le, unit_roundoff_pos|apply Rabs_pos].
Qed.

(** The root of a positive float is a normal number. *)
Lemma rnd_error_sqrt x : is_float x -> Rabs (rnd (sqrt x) - sqrt x) <= u * Rabs (sqrt x).
Proof.
  intros Fx. destruct (Rle_lt_dec x 0) as [Z|P].
  - rewrite sqrt_neg, Rabs_R0, Rmult_0_r by exact Z. apply rnd_error_exact, is_float_0.
  - apply rnd_error_normal. rewrite Rabs_pos_eq by apply sqrt_pos.
    apply Rle_trans with (sqrt (pow2 (3 - emax - prec))).
    + unfold least_normal. rewrite <- (sqrt_square (pow2 (2 - emax))) by apply bpow_ge_0.
      rewrite <- bpow_plus. apply sqrt_le_1_alt, bpow_le. pose proof prec_below. lia.
    + apply sqrt_le_1_alt. apply (generic_format_ge_bpow radix2 fexp); [|exact P|exact Fx].
      intros e. rewrite fexp_FLT. unfold FLT_exp. lia.
Qed.

(** * Multiples by a power of two *)

(** c is 2^k or -2^k. *)
Lemma plus_or_minus c k : Rabs c = pow2 k -> c = pow2 k \/ c = - pow2 k.
Proof. unfold Rabs. destruct Rcase_abs; lra. Qed.

Lemma is_float_mul_pow2 x c k : is_float x -> Rabs c = pow2 k -> (0 <= k)%Z -> is_float (x * c).
Proof.
  intros Fx Hc Hk.
  assert (F : is_float (x * pow2 k)).
  { now apply (mult_bpow_pos_exact_FLT radix2 (3 - emax - prec) prec). }
  destruct (plus_or_minus c k Hc) as [-> | ->]; [exact F|].
  rewrite <- Ropp_mult_distr_r. now apply is_float_opp.
Qed.

Lemma is_float_mul_pow2_normal x c k : is_float x -> Rabs c = pow2 k -> least_normal <= Rabs (x * c) ->
  is_float (x * c).
Proof.
  intros Fx Hc N. rewrite Rabs_mult, Hc in N.
  assert (F : is_float (x * pow2 k)).
  { assert (x <> 0).
    { intros ->. rewrite Rabs_R0, Rmult_0_l in N. apply Rle_not_lt with (1 := N), bpow_gt_0. }
    apply (mult_bpow_exact_FLT radix2 (3 - emax - prec) prec); [exact Fx|].
    enough (3 - emax <= mag radix2 x + k)%Z by lia.
    rewrite <- mag_mult_bpow by assumption. apply mag_ge_bpow.
    rewrite Rabs_mult, (Rabs_pos_eq (pow2 k)) by apply bpow_ge_0.
    now replace (3 - emax - 1)%Z with (2 - emax)%Z by ring. }
  destruct (plus_or_minus c k Hc) as [-> | ->]; [exact F|].
  rewrite <- Ropp_mult_distr_r. now apply is_float_opp.
Qed.

Lemma rnd_error_mul_pow2 x c k : is_float x -> Rabs c = pow2 k -> Rabs (rnd (x * c) - x * c) <= tau.
Proof.
  intros Fx Hc. destruct (Rle_lt_dec least_normal (Rabs (x * c))) as [N|S].
  - apply Rle_trans with 0; [|apply bpow_ge_0]. now apply rnd_error_exact, is_float_mul_pow2_normal with k.
  - apply rnd_error_small. apply Rle_trans with least_normal; [lra|]. apply bpow_le. lia.
Qed.

Lemma inv_pow2 c k : Rabs c = pow2 k -> Rabs (/ c) = pow2 (- k).
Proof. intros H. now rewrite Rabs_inv, H, bpow_opp. Qed.

Lemma is_float_div_pow2 x c k : is_float x -> Rabs c = pow2 k -> (k <= 0)%Z -> is_float (x / c).
Proof. intros Fx Hc Hk. apply is_float_mul_pow2 with (- k)%Z; [exact Fx|now apply inv_pow2|lia]. Qed.

Lemma is_float_div_pow2_normal x c k : is_float x -> Rabs c = pow2 k -> least_normal <= Rabs (x / c) ->
  is_float (x / c).
Proof.
  intros Fx Hc N. apply is_float_mul_pow2_normal with (- k)%Z; [exact Fx|now apply inv_pow2|exact N].
Qed.

Lemma rnd_error_div_pow2 x c k : is_float x -> Rabs c = pow2 k -> Rabs (rnd (x / c) - x / c) <= tau.
Proof. intros Fx Hc. apply rnd_error_mul_pow2 with (- k)%Z; [exact Fx|now apply inv_pow2]. Qed.

(** * Sterbenz' lemma *)

(** Floats of one sign within a factor of 2: the difference is exact. *)
Lemma sterbenz_sub x y : is_float x -> is_float y -> y / 2 <= x <= 2 * y \/ 2 * y <= x <= y / 2 ->
  is_float (x - y).
Proof.
  intros Fx Fy [H|H]; [now apply sterbenz; auto with typeclass_instances|].
  replace (x - y) with (- (- x - - y)) by ring. apply is_float_opp.
  apply sterbenz; auto with typeclass_instances; [now apply is_float_opp|now apply is_float_opp|lra].
Qed.

Lemma sterbenz_add x y : is_float x -> is_float y ->
  - y / 2 <= x <= - 2 * y \/ - 2 * y <= x <= - y / 2 -> is_float (x + y).
Proof.
  intros Fx Fy H. replace (x + y) with (x - - y) by ring.
  apply sterbenz_sub; [exact Fx|now apply is_float_opp|lra].
Qed.

(** * The operations of IEEE arithmetic *)

Lemma rnd_no_overflow v : Rabs v <= pow2 (emax - 2) -> Rabs (rnd v) < pow2 emax.
Proof.
  intros H. apply Rle_lt_trans with (pow2 (emax - 2)); [|apply bpow_lt; lia].
  assert (F : is_float (pow2 (emax - 2))).
  { apply is_float_pow2. pose proof prec_pos. pose proof prec_below. lia. }
  apply Rabs_le_inv in H. apply Rabs_le.
  split; [rewrite <- (rnd_exact _ (is_float_opp _ F))|rewrite <- (rnd_exact _ F)]; apply rnd_le; lra.
Qed.

Lemma no_overflow_test v : Rabs v <= pow2 (emax - 2) ->
  Rlt_bool (Rabs (round radix2 fexp (round_mode mode_NE) v)) (pow2 emax) = true.
Proof. intros H. now apply Rlt_bool_true, rnd_no_overflow. Qed.

Lemma Bmult_rnd (f1 f2 : float) : is_finite f1 = true -> is_finite f2 = true ->
  Rabs (B2R f1 * B2R f2) <= pow2 (emax - 2) ->
  is_finite (Bmult mode_NE f1 f2) = true /\ B2R (Bmult mode_NE f1 f2) = rnd (B2R f1 * B2R f2).
Proof.
  intros F1 F2 H. pose proof (Bmult_correct prec emax Hprec Hmax mode_NE f1 f2) as C.
  rewrite no_overflow_test in C by exact H. destruct C as (E & F & _). now rewrite F, F1, F2.
Qed.

Lemma Bdiv_rnd (f1 f2 : float) : is_finite f1 = true -> B2R f2 <> 0 ->
  Rabs (B2R f1 / B2R f2) <= pow2 (emax - 2) ->
  is_finite (Bdiv mode_NE f1 f2) = true /\ B2R (Bdiv mode_NE f1 f2) = rnd (B2R f1 / B2R f2).
Proof.
  intros F1 N2 H. pose proof (Bdiv_correct prec emax Hprec Hmax mode_NE f1 f2 N2) as C.
  rewrite no_overflow_test in C by exact H. destruct C as (E & F & _). now rewrite F, F1.
Qed.

Lemma Bfma_rnd (f1 f2 f3 : float) : is_finite f1 = true -> is_finite f2 = true -> is_finite f3 = true ->
  Rabs (B2R f1 * B2R f2 + B2R f3) <= pow2 (emax - 2) ->
  is_finite (Bfma mode_NE f1 f2 f3) = true /\
  B2R (Bfma mode_NE f1 f2 f3) = rnd (B2R f1 * B2R f2 + B2R f3).
Proof.
  intros F1 F2 F3 H. pose proof (Bfma_correct prec emax Hprec Hmax mode_NE f1 f2 f3 F1 F2 F3) as C.
  cbv zeta in C. rewrite no_overflow_test in C by exact H. now destruct C as (E & F & _).
Qed.

Lemma Bsqrt_rnd (f : float) : is_finite f = true -> 0 <= B2R f ->
  is_finite (Bsqrt mode_NE f) = true /\ B2R (Bsqrt mode_NE f) = rnd (sqrt (B2R f)).
Proof.
  intros F H. destruct (Bsqrt_correct prec emax Hprec Hmax mode_NE f) as (E & Fin & _).
  split; [|exact E]. rewrite Fin. destruct f as [s|s| |[|] m e B]; try easy.
  exfalso. apply Rle_not_lt with (1 := H). now apply F2R_lt_0.
Qed.

Lemma Bopp_exact (f : float) : is_finite f = true -> is_finite (Bopp f) = true /\ B2R (Bopp f) = - B2R f.
Proof. intros F. now rewrite is_finite_Bopp, B2R_Bopp. Qed.

Lemma Babs_exact (f : float) :
  is_finite f = true -> is_finite (Babs f) = true /\ B2R (Babs f) = Rabs (B2R f).
Proof. intros F. now rewrite is_finite_Babs, B2R_Babs. Qed.

Lemma Bcompare_exact (f1 f2 : float) : is_finite f1 = true -> is_finite f2 = true ->
  Bcompare f1 f2 = Some (Rcompare (B2R f1) (B2R f2)).
Proof. apply Bcompare_correct. Qed.

Lemma Bmin_exact (f1 f2 : float) : is_finite f1 = true -> is_finite f2 = true ->
  let m := if Bleb f1 f2 then f1 else f2 in is_finite m = true /\ B2R m = Rmin (B2R f1) (B2R f2).
Proof.
  intros F1 F2. cbv zeta. rewrite Bleb_correct by assumption.
  case Rle_bool_spec; intros H; split; try assumption; [now rewrite Rmin_left|rewrite Rmin_right; lra].
Qed.

Lemma Bmax_exact (f1 f2 : float) : is_finite f1 = true -> is_finite f2 = true ->
  let m := if Bleb f1 f2 then f2 else f1 in is_finite m = true /\ B2R m = Rmax (B2R f1) (B2R f2).
Proof.
  intros F1 F2. cbv zeta. rewrite Bleb_correct by assumption.
  case Rle_bool_spec; intros H; split; try assumption; [now rewrite Rmax_right|rewrite Rmax_left; lra].
Qed.

(** * Libraries *)

Lemma ulp_normal v : least_normal <= Rabs v -> float_ulp v <= 2 * u * Rabs v.
Proof.
  intros H. apply Rle_trans with (Rabs v * pow2 (1 - prec)).
  - apply (ulp_FLT_le radix2 (3 - emax - prec) prec).
    now replace (3 - emax - prec + prec - 1)%Z with (2 - emax)%Z by ring.
  - unfold unit_roundoff, Zminus. rewrite bpow_plus. simpl. lra.
Qed.

Lemma ulp_any v : float_ulp v <= 2 * u * Rabs v + 2 * tau.
Proof.
  assert (0 <= u * Rabs v) by (apply Rmult_le_pos; [apply Rlt_le, unit_roundoff_pos|apply Rabs_pos]).
  assert (0 < tau) by apply bpow_gt_0.
  destruct (Rle_lt_dec least_normal (Rabs v)) as [N|S].
  - pose proof (ulp_normal v N). lra.
  - enough (float_ulp v <= 2 * tau) by lra.
    apply Rle_trans with (pow2 ((3 - emax) - prec)).
    + apply ulp_le_pow2 with (Rabs v); [lia|apply Rle_refl|].
      apply Rlt_le_trans with (1 := S), bpow_le. lia.
    + unfold tau. replace (2 - emax - prec)%Z with ((3 - emax - prec) - 1)%Z by ring.
      rewrite half_pow2. lra.
Qed.

(** y is within k ulp of v. *)
Lemma within_ulps_abs k y v m e : 0 <= k -> (3 - emax <= e)%Z -> Rabs v <= m -> m < pow2 e ->
  Rabs (y - v) <= k * float_ulp v -> Rabs (y - v) <= k * pow2 (e - prec).
Proof.
  intros Hk He Hv Hm H. apply Rle_trans with (1 := H), Rmult_le_compat_l; [exact Hk|].
  now apply ulp_le_pow2 with m.
Qed.

Lemma within_ulps_normal k y v : 0 <= k -> least_normal <= Rabs v ->
  Rabs (y - v) <= k * float_ulp v -> Rabs (y - v) <= k * (2 * u) * Rabs v.
Proof.
  intros Hk N H. apply Rle_trans with (1 := H). rewrite Rmult_assoc.
  apply Rmult_le_compat_l; [exact Hk|now apply ulp_normal].
Qed.

Lemma within_ulps_any k y v : 0 <= k ->
  Rabs (y - v) <= k * float_ulp v -> Rabs (y - v) <= k * (2 * u) * Rabs v + k * (2 * tau).
Proof.
  intros Hk H. apply Rle_trans with (1 := H). rewrite Rmult_assoc, <- Rmult_plus_distr_l.
  apply Rmult_le_compat_l; [exact Hk|apply ulp_any].
Qed.

(** The logarithm of a float other than 1 is at least u: the floats next to 1 are 1 - u and 1 + 2u, and
    1 - 1/x <= ln x <= x - 1. *)
Lemma ln_float_ge x : is_float x -> 0 < x -> x <> 1 -> u <= Rabs (ln x).
Proof.
  intros Fx Px Nx. pose proof prec_pos. pose proof prec_below.
  assert (L : forall y, 0 < y -> ln y <= y - 1).
  { intros y Hy. pose proof (exp_ineq1_le (ln y)) as E. rewrite exp_ln in E by exact Hy. lra. }
  destruct (Rle_lt_dec x 1) as [H1|H1].
  - assert (B : x <= 1 - u).
    { apply Rle_trans with (pred radix2 fexp (pow2 0)).
      - apply pred_ge_gt; auto with typeclass_instances; [apply is_float_1|]. simpl. lra.
      - rewrite pred_bpow. apply Rplus_le_compat_l, Ropp_le_contravar, bpow_le.
        rewrite fexp_FLT. unfold FLT_exp. lia. }
    pose proof (L x Px). rewrite Rabs_left1; lra.
  - assert (B : 1 + 2 * u <= x).
    { replace (1 + 2 * u) with (succ radix2 fexp (pow2 0)).
      - apply succ_le_lt; auto with typeclass_instances. apply is_float_1.
      - rewrite succ_eq_pos, ulp_bpow by apply bpow_ge_0. apply f_equal.
        replace (fexp (0 + 1)) with (1 + - prec)%Z by (rewrite fexp_FLT; unfold FLT_exp; lia).
        apply bpow_plus. }
    assert (U : u <= / 2) by (apply (bpow_le radix2 (- prec) (-1)); lia).
    pose proof unit_roundoff_pos as P.
    pose proof (L (/ x) (Rinv_0_lt_compat x Px)) as I. rewrite ln_Rinv in I by exact Px.
    enough (u <= 1 - / x) by (apply Rle_trans with (2 := Rle_abs _); lra).
    assert (/ x <= / (1 + 2 * u)) by (apply Rinv_le; lra).
    enough (/ (1 + 2 * u) <= 1 - u) by lra.
    apply Rmult_le_reg_r with (1 + 2 * u); [lra|]. rewrite Rinv_l by lra. nra.
Qed.

Lemma ln_float_normal x :
  (prec + 2 <= emax)%Z -> is_float x -> 0 < x -> x <> 1 -> least_normal <= Rabs (ln x).
Proof. intros He Fx Px Nx. apply Rle_trans with u; [apply bpow_le; lia|now apply ln_float_ge]. Qed.

End Format.

(** * The formats *)

#[global] Instance prec_gt_0_53 : Prec_gt_0 53 := eq_refl.
#[global] Instance prec_lt_emax_53 : Prec_lt_emax 53 1024 := eq_refl.
#[global] Instance prec_gt_0_24 : Prec_gt_0 24 := eq_refl.
#[global] Instance prec_lt_emax_24 : Prec_lt_emax 24 128 := eq_refl.
