(** What generated certificates of the privacy loss of snapping in binary64 use: [certified_loss] and a tactic
    for its hypotheses, [program_loss] and a tactic for its own. *)
From Coq Require Export QArith_base Reals ZArith List.
From Coq Require Import Lra Lia.
From Flocq Require Export Core BinarySingleNaN.
From Interval Require Import Tactic.
From Lastbit Require Import FloatCell ErrorCertificate.
From Lastbit Require Export Program Libm FloatSum FloatNoise FloatLn FloatSnap SnapProgram.
Export ListNotations.
Global Open Scope R_scope.

(** A bound on the noise is one for every larger error. *)
Lemma noise_within rho eps rho' yF : rho <= rho' -> float_noise eps rho yF -> float_noise eps rho' yF.
Proof.
  intros H [N1 N2]; split; [exact N1 |]; intros u Hu Hu1.
  apply Rle_trans with (1 := N2 u Hu Hu1), Rmult_le_compat_r; [apply Rabs_pos | exact H].
Qed.

(** All hypotheses of [certified_loss] on concrete numbers. *)
Ltac loss_numbers :=
  first
    [ lia
    | apply dyadic_F; lia
    | match goal with H : correctly_rounded_ln _ |- float_noise _ _ _ =>
        first
          [ apply (noise_within (bpow radix2 (-53)));
            [snap_numbers | rewrite !Rmult_1_l;
              first [apply (divided_by_power _ H); lia | apply (scaled_by_power _ H); lia]]
          | apply (noise_within (bpow radix2 (-52)));
            [snap_numbers |
              first [apply (divided_noise _ H); split; snap_numbers | apply (scaled_noise _ H); snap_numbers]] ] end
    | left; reflexivity
    | right; split; [reflexivity | intros; reflexivity]
    | snap_numbers
    | left; snap_numbers
    | right; snap_numbers ].

(** The hypotheses of [program_loss] but for the last: the program is read as the operations of [snapF], and its
    constants lie in range. *)
Ltac is_snapping := intros; reading.
Ltac in_range :=
  unfold form_in_range, small, value;
  repeat match goal with |- _ /\ _ => split end;
  first [exact I | lia | interval with (i_prec 80)].
