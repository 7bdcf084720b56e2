(** Doubles as real numbers.

    Binary64 without its largest number: the reals with 53 significant bits and no digits below [2^-1074],
    rounded to nearest, ties to even. A double from [2^(e + 52)] on is a multiple of [2^e]; a real number
    less than half a unit away from one that has its exponent is rounded to it. *)

From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
Open Scope R_scope.

Definition fexp : Z -> Z := FLT_exp (-1074) 53.
Definition F (x : R) : Prop := generic_format radix2 fexp x.
Definition rnd (x : R) : R := round radix2 fexp ZnearestE x.

#[global] Instance prec_53 : Prec_gt_0 53 := eq_refl.
#[global] Instance fexp_valid : Valid_exp fexp := FLT_exp_valid (-1074) 53.

Lemma rnd_le x y : x <= y -> rnd x <= rnd y.
Proof. apply round_le; [apply fexp_valid | apply valid_rnd_N]. Qed.

Lemma rnd_F x : F (rnd x).
Proof. apply generic_format_round; [apply fexp_valid | apply valid_rnd_N]. Qed.

Lemma rnd_id x : F x -> rnd x = x.
Proof. apply round_generic, valid_rnd_N. Qed.

(** A dyadic number with at most 53 bits is a float. *)
Lemma dyadic_F (m e : Z) : (Z.abs m < 2 ^ 53)%Z -> (-1074 <= e)%Z -> F (IZR m * bpow radix2 e).
Proof. intros Hm He; apply generic_format_FLT; now exists (Float radix2 m e). Qed.

(** The nearest float, with its exponent and its integer significand. *)
Lemma rnd_is (m e : Z) (x : R) :
  (-1074 <= e)%Z -> bpow radix2 (e + 52) <= Rabs x < bpow radix2 (e + 53) ->
  Rabs (x * bpow radix2 (- e) - IZR m) < / 2 -> rnd x = IZR m * bpow radix2 e.
Proof.
  intros He Hx Hm; unfold rnd, round, F2R, scaled_mantissa, cexp; cbn [Fnum Fexp].
  rewrite (mag_unique radix2 x (e + 53)) by (replace (e + 53 - 1)%Z with (e + 52)%Z by ring; exact Hx).
  replace (fexp (e + 53)) with e by (unfold fexp, FLT_exp; lia).
  now rewrite (Znearest_imp _ _ m).
Qed.

(** * Multiples of powers of two *)

Definition multiple (e : Z) (x : R) : Prop := exists n : Z, x = IZR n * bpow radix2 e.

Lemma multiple_coarser e c (m : Z) : (e <= c)%Z -> multiple e (IZR m * bpow radix2 c).
Proof.
  intros H; exists (m * 2 ^ (c - e))%Z.
  rewrite mult_IZR, (IZR_Zpower radix2), Rmult_assoc, <- bpow_plus by lia; do 2 f_equal; lia.
Qed.

Lemma F_multiple e x : F x -> bpow radix2 (e + 52) <= Rabs x -> multiple e x.
Proof.
  intros D H; rewrite D; apply multiple_coarser.
  assert (e + 52 < mag radix2 x)%Z by now apply mag_gt_bpow.
  unfold cexp, fexp, FLT_exp; cbn [Fexp]; lia.
Qed.
