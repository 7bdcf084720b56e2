(** Certificates of error bounds.

    A certificate is a program, its inputs, a tree of boxes and a claim. `check` derives the judgements on
    all boxes and compares what they prove with the claim. If it answers `true`, the claim holds, with
    every library whose functions are as good as the certificate says.

    A generated file ends in a theorem `meets lib ... -> error_bound lib inputs prog result lo hi d`. Its
    proof runs `check` once:   apply (binary64 None boxes). vm_cast_no_check (eq_refl true). *)
From Coq Require Import Lra ZArith Bool.
From Coq Require Export QArith_base Reals Qreals List.
From Flocq Require Import Core.
From Flocq Require Export BinarySingleNaN.
From Lastbit Require Import Dyadic Enclosure Rules Linear.
From Lastbit Require Export Program Rounding Libm Boxes.
Export ListNotations.
Open Scope R_scope.

(** The real number m*2^e. *)
Definition dyadic (m e : Z) : R := IZR m * bpow radix2 e.

(** The claimed error d and range [lo, hi] of the result are those that the leaves of the tree prove. If
    at_most is an operation, the error is at most its real value on every leaf. *)
Definition check (prec emax : Z) (for_ln for_exp : accuracy) (is : list input) (prog : program)
  (result : positive) (at_most : option positive) (lo_m lo_e hi_m hi_e d_m d_e : Z) (t : tree) : bool :=
  let back := back_from result prog 1 [] in
  well_formed prog 1 &&
  match hd_error (map fst back) with Some k => Pos.eqb k result | None => false end &&
  match root_box prec emax is with
  | None => false
  | Some box =>
      match leaves prec emax for_ln for_exp (map of_kind is) prog result back at_most box t with
      | None => false
      | Some (error, range) =>
          deqb error (literal d_m d_e) &&
          deqb (lo range) (literal lo_m lo_e) && deqb (hi range) (literal hi_m hi_e)
      end
  end.

Section Sound.
Context {prec emax : Z} {Hprec : Prec_gt_0 prec} {Hmax : Prec_lt_emax prec emax}.

(** On all inputs the error is at most the real value of operation number `bound`. *)
Definition error_at_most (lib : libm prec emax) (is : list input) (prog : program) (result bound : positive)
  : Prop :=
  forall xs fs, are_inputs is xs fs ->
    Rabs (B2R (float_value lib prog result fs) - real_value prog result xs) <= real_value prog bound xs.

Lemma check_bounded lib for_ln for_exp is prog result at_most lo_m lo_e hi_m hi_e d_m d_e t xs fs :
  check prec emax for_ln for_exp is prog result at_most lo_m lo_e hi_m hi_e d_m d_e t = true ->
  meets lib for_ln for_exp -> are_inputs is xs fs -> exists error range,
  bounded lib prog result at_most xs fs error range /\
  V error = dyadic d_m d_e /\ V (lo range) = dyadic lo_m lo_e /\ V (hi range) = dyadic hi_m hi_e.
Proof.
  unfold check. rewrite !andb_true_iff. intros ((W & First) & C) M Xs.
  destruct (hd_error _) as [k|] eqn:H in First; [|discriminate]. apply Pos.eqb_eq in First. subst k.
  destruct (root_box _ _ _) as [box|] eqn:B; [|discriminate].
  destruct (leaves _ _ _ _ _ _ _ _ _ _ _) as [(error, range)|] eqn:L; [|discriminate].
  rewrite !andb_true_iff, !deqb_iff, !V_literal in C. exists error, range.
  split; [|unfold dyadic; tauto].
  apply (root_box_sound _ _ _ Xs) in B. exact (leaves_sound _ _ _ _ _ _ _ _ _ _ _ M W eq_refl H _ _ _ B L).
Qed.

(** A certificate that is accepted is right. *)
Theorem check_sound lib for_ln for_exp is prog result at_most lo_m lo_e hi_m hi_e d_m d_e t :
  check prec emax for_ln for_exp is prog result at_most lo_m lo_e hi_m hi_e d_m d_e t = true ->
  meets lib for_ln for_exp ->
  error_bound lib is prog result (dyadic lo_m lo_e) (dyadic hi_m hi_e) (dyadic d_m d_e).
Proof.
  intros C M xs fs Xs. destruct (check_bounded _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ C M Xs)
    as (error & range & (F & R & D & _) & <- & <- & <-). auto.
Qed.

(** So is the claim that the error is at most the real value of an operation. *)
Theorem check_at_most_sound lib for_ln for_exp is prog result bound lo_m lo_e hi_m hi_e d_m d_e t :
  check prec emax for_ln for_exp is prog result (Some bound) lo_m lo_e hi_m hi_e d_m d_e t = true ->
  meets lib for_ln for_exp -> error_at_most lib is prog result bound.
Proof.
  intros C M xs fs Xs. destruct (check_bounded _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ C M Xs)
    as (error & range & (_ & _ & _ & A) & _). exact A.
Qed.
End Sound.

(** * The two formats *)

(** What generated files use: the theorems above for binary64 and binary32. *)
Notation float64 := (binary_float 53 1024).
Notation float32 := (binary_float 24 128).

Theorem binary64 at_most t {lib : libm 53 1024}
  {for_ln for_exp is prog result lo_m lo_e hi_m hi_e d_m d_e} :
  check 53 1024 for_ln for_exp is prog result at_most lo_m lo_e hi_m hi_e d_m d_e t = true ->
  meets lib for_ln for_exp ->
  error_bound lib is prog result (dyadic lo_m lo_e) (dyadic hi_m hi_e) (dyadic d_m d_e).
Proof. apply check_sound. Qed.

Theorem binary64_at_most lo_m lo_e hi_m hi_e d_m d_e t {lib : libm 53 1024}
  {for_ln for_exp is prog result bound} :
  check 53 1024 for_ln for_exp is prog result (Some bound) lo_m lo_e hi_m hi_e d_m d_e t = true ->
  meets lib for_ln for_exp -> error_at_most lib is prog result bound.
Proof. apply check_at_most_sound. Qed.

Theorem binary32 at_most t {lib : libm 24 128}
  {for_ln for_exp is prog result lo_m lo_e hi_m hi_e d_m d_e} :
  check 24 128 for_ln for_exp is prog result at_most lo_m lo_e hi_m hi_e d_m d_e t = true ->
  meets lib for_ln for_exp ->
  error_bound lib is prog result (dyadic lo_m lo_e) (dyadic hi_m hi_e) (dyadic d_m d_e).
Proof. apply check_sound. Qed.

Theorem binary32_at_most lo_m lo_e hi_m hi_e d_m d_e t {lib : libm 24 128}
  {for_ln for_exp is prog result bound} :
  check 24 128 for_ln for_exp is prog result (Some bound) lo_m lo_e hi_m hi_e d_m d_e t = true ->
  meets lib for_ln for_exp -> error_at_most lib is prog result bound.
Proof. apply check_at_most_sound. Qed.

(** Both readings of a program are what a formula says: by computation, in which operations are left alone. *)
#[global] Strategy opaque [Bplus Bminus Bmult Bdiv Bsqrt Bfma Bopp Babs of_dyadic minF maxF clampF holdsF].
Ltac reading := match goal with |- _ = ?formula => exact_no_check (eq_refl formula) end.

(** f is a float of the range. *)
Definition float_in {prec emax} (f : binary_float prec emax) (lo hi : Q) : Prop :=
  is_finite f = true /\ Q2R lo <= B2R f <= Q2R hi.

Lemma float_is_input {prec emax} (f : binary_float prec emax) lo hi :
  float_in f lo hi -> is_input (Range Float lo hi) (B2R f) f.
Proof. intros [F H]. split; [exact H | split; [exact F | reflexivity]]. Qed.

(** An error bound, said with the formulas. *)
Ltac by_readings certificate :=
  apply certificate; [assumption|];
  repeat first [apply no_inputs | apply one_more; [apply float_is_input; assumption|]].
