(** What is known of the functions that a library brings: ln, exp, and rounding to a grid.

    A function is correctly rounded, or off by at most k units in the last place. Nothing is said where the
    exponential is above 2^(emax-2), half of the largest power of two: there the checker refuses to judge.

    All of it can be satisfied, or the theorems that assume it would be empty: `nearest_meets` shows that a
    library which returns the floats nearest to the exact values does, for every accuracy of 1/2 unit or
    more. *)
From Coq Require Import Reals ZArith QArith Qreals Lra Lia.
From Flocq Require Import Core BinarySingleNaN.
From Lastbit Require Import Program Rounding RealRules.
Open Scope R_scope.

Inductive accuracy := CorrectlyRounded | Ulps (k : Q).

Section Libm.
Context {prec emax : Z} {Hprec : Prec_gt_0 prec} {Hmax : Prec_lt_emax prec emax}.

(** f is a finite float that is as close to v as the accuracy says. *)
Definition accurate (a : accuracy) (f : binary_float prec emax) (v : R) : Prop :=
  is_finite f = true /\
  match a with
  | CorrectlyRounded => B2R f = rnd prec emax v
  | Ulps k => Rabs (B2R f - v) <= Q2R k * float_ulp prec emax v
  end.

(** The accuracies of ln and exp, and that rounding to a grid is exact. *)
Record meets (lib : libm prec emax) (for_ln for_exp : accuracy) : Prop := {
  meets_ln : forall x, is_finite x = true -> 0 < B2R x -> accurate for_ln (flln lib x) (ln (B2R x));
  meets_ln_1 : forall x, is_finite x = true -> B2R x = 1 -> B2R (flln lib x) = 0;
  meets_exp : forall x, is_finite x = true -> exp (B2R x) <= bpow radix2 (emax - 2) ->
    accurate for_exp (flexp lib x) (exp (B2R x));
  meets_grid : forall k t x, is_finite x = true -> (3 - emax - prec <= k)%Z ->
    Rabs (to_grid k t (B2R x)) <= bpow radix2 (emax - 2) ->
    is_finite (flgrid lib k t x) = true /\ B2R (flgrid lib k t x) = to_grid k t (B2R x)
}.

(** * A library that meets all of it *)
Notation rnd := (rnd prec emax).

(** The float nearest to v, if v is not too large. *)
Definition nearest_float (v : R) : binary_float prec emax :=
  of_dyadic (ZnearestE (scaled_mantissa radix2 (SpecFloat.fexp prec emax) v))
    (cexp radix2 (SpecFloat.fexp prec emax) v).

Definition nearest_lib : libm prec emax := {|
  flln := fun x => nearest_float (ln (B2R x));
  flexp := fun x => nearest_float (exp (B2R x));
  flgrid := fun k t x => nearest_float (to_grid k t (B2R x)) |}.

Definition possible_accuracy (a : accuracy) : Prop :=
  match a with CorrectlyRounded => True | Ulps k => 1 / 2 <= Q2R k end.

Lemma nearest_float_ok v : Rabs v <= bpow radix2 (emax - 2) ->
  is_finite (nearest_float v) = true /\ B2R (nearest_float v) = rnd v.
Proof.
  intros O. unfold nearest_float, of_dyadic. set (m := ZnearestE _). set (e := cexp _ _ v).
  assert (B := binary_normalize_correct prec emax Hprec Hmax mode_NE m e false). cbv zeta in B.
  change (round_mode mode_NE) with ZnearestE in B.
  change (F2R (Defs.Float radix2 m e)) with (rnd v) in B.
  change (round radix2 (SpecFloat.fexp prec emax) ZnearestE (rnd v)) with (rnd (rnd v)) in B.
  rewrite (rnd_exact prec emax (rnd v)) in B by apply (rnd_is_float prec emax).
  rewrite Rlt_bool_true in B by apply (rnd_no_overflow prec emax), O. split; apply B.
Qed.

Lemma nearest_accurate a v : possible_accuracy a -> Rabs v <= bpow radix2 (emax - 2) ->
  accurate a (nearest_float v) v.
Proof.
  intros A O. destruct (nearest_float_ok v O) as [F E]. split; [exact F|]. destruct a as [|k]; [exact E|].
  rewrite E. apply Rle_trans with (/ 2 * float_ulp prec emax v).
  - apply error_le_half_ulp. apply fexp_correct, Hprec.
  - cbn in A. apply Rmult_le_compat_r; [apply ulp_ge_0|lra].
Qed.

(** A float is at least 2^(3-emax-prec) and below 2^emax, and 2*emax <= 2^(emax-2). *)
Lemma ln_float_bounded (x : binary_float prec emax) : (6 <= emax)%Z -> is_finite x = true -> 0 < B2R x ->
  Rabs (ln (B2R x)) <= bpow radix2 (emax - 2).
Proof.
  intros W F P.
  assert (L : 0 < ln 2 <= 1).
  { split; [rewrite <- ln_1; apply ln_increasing; lra|].
    rewrite <- (ln_exp 1). apply ln_le; [lra|]. apply Rlt_le, exp_ineq1. lra. }
  assert (B : forall e, ln (bpow radix2 e) = IZR e * ln 2).
  { intros e. rewrite bpow_exp, ln_exp. reflexivity. }
  assert (LO : bpow radix2 (3 - emax - prec) <= B2R x).
  { rewrite <- (Rabs_pos_eq (B2R x)) by lra. apply abs_B2R_ge_emin. destruct x; try easy; cbn in P; lra. }
  assert (HI : B2R x <= bpow radix2 emax).
  { apply Rle_trans with (1 := Rle_abs _), Rlt_le, abs_B2R_lt_emax. }
  apply ln_le in LO; [|apply bpow_gt_0]. apply ln_le in HI; [|exact P]. rewrite B in LO, HI.
  assert (M : IZR (2 * emax) <= bpow radix2 (emax - 2)).
  { rewrite <- IZR_Zpower by lia. apply IZR_le. change (radix_val radix2) with 2%Z.
    replace (emax - 2)%Z with (4 + (emax - 6))%Z by lia. rewrite Z.pow_add_r by lia.
    assert (G := Z.pow_gt_lin_r 2 (emax - 6)). lia. }
  assert (E : (- (2 * emax) <= 3 - emax - prec)%Z) by (assert (H := prec_lt_emax prec emax); lia).
  apply IZR_le in E. rewrite opp_IZR in E. assert (E' : IZR emax <= IZR (2 * emax)) by (apply IZR_le; lia).
  assert (Z : 0 <= IZR (2 * emax)) by (apply IZR_le; lia).
  apply Rabs_le. split; nra.
Qed.

(** What is assumed of libraries can be satisfied. *)
Theorem nearest_meets a b : (6 <= emax)%Z -> possible_accuracy a -> possible_accuracy b ->
  meets nearest_lib a b.
Proof.
  intros W A B. split; cbn [flln flexp flgrid nearest_lib].
  - intros x F P. apply nearest_accurate; [exact A|]. apply ln_float_bounded; assumption.
  - intros x F ->. rewrite ln_1. destruct (nearest_float_ok 0) as [_ ->].
    + rewrite Rabs_R0. apply bpow_ge_0.
    + apply (rnd_exact prec emax), (is_float_0 prec emax).
  - intros x F O. apply nearest_accurate; [exact B|]. rewrite Rabs_pos_eq by apply Rlt_le, exp_pos. exact O.
  - intros k t x F K O. destruct (nearest_float_ok _ O) as [G E]. split; [exact G|]. rewrite E.
    apply (rnd_exact prec emax), (is_float_grid prec emax); [exact K|]. apply (is_float_B2R prec emax).
Qed.
End Libm.
