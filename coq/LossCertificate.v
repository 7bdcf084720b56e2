(** What generated certificates of the privacy loss of snapping in binary64 use: [certified_loss], and a tactic
    for its hypotheses. *)
From Coq Require Export Reals ZArith.
From Coq Require Import Lra Lia.
From Flocq Require Export Core.
From Interval Require Import Tactic.
From Lastbit Require Export FloatSum FloatNoise FloatLn FloatSnap.
From Lastbit Require Import FloatCell.
Global Open Scope R_scope.

(** All hypotheses of [certified_loss] on concrete numbers. *)
Ltac loss_numbers :=
  first
    [ lia
    | apply dyadic_F; lia
    | match goal with H : correctly_rounded_ln _ |- float_noise _ _ _ =>
        first [apply (divided_by_power _ H); lia | apply (scaled_by_power _ H); lia
          | apply (divided_noise _ H); split; snap_numbers | apply (scaled_noise _ H); snap_numbers] end
    | left; reflexivity
    | right; split; [reflexivity | intros; reflexivity]
    | snap_numbers
    | left; snap_numbers
    | right; snap_numbers ].
