(** What generated certificates of the privacy loss of snapping in binary64 use: [certified_loss], with one
    number for the loss, and a tactic for its hypotheses. *)
From Coq Require Export Reals ZArith.
From Coq Require Import Lra Lia.
From Flocq Require Export Core.
From Interval Require Import Tactic.
From Lastbit Require Export FloatSum FloatNoise FloatLn FloatSnap.
From Lastbit Require Import FloatCell.
Global Open Scope R_scope.

(** For all floats [f] and [f'] that are at most [Delta] apart and every output, the loss is at most
    [loss]. *)
Theorem loss_at_most (choice : Z -> bool) (loss eps rho B d Delta near W Dn : R) (yF : R -> R) (k N j : Z) :
  let L := bpow radix2 k in
  let h := bpow radix2 (j - 54) in
  let D := eps * (B + middle L N + h) in
  let excess := loss - eps * Delta in
  0 < eps -> 0 <= rho < 1 -> float_noise eps rho yF ->
  0 < B -> F B -> (IZR N - 1) * L < B <= IZR N * L -> (N <= 2 ^ 52)%Z -> (-1073 <= k)%Z ->
  (-1021 <= j)%Z -> middle L N < bpow radix2 j ->
  (d = 2 * h \/ d = h /\ forall n, choice n = true) -> d < L ->
  tiny * exp (D / (1 + rho)) <= bpow radix2 (-52) ->
  eps * (B - middle L N + h) <= near ->
  (D <= W \/ eps * (L + d) <= W) ->
  (D <= Dn \/ eps * (L + d + Delta) <= Dn) ->
  end_factor (ulp_plus rho) (kappa_minus rho) D near (exp excess) ->
  cell_factor (ulp_plus rho) (kappa_minus rho) (eps * (L - d)) D W Dn (exp excess) ->
  forall f f' e, F f -> F f' -> Rabs (f - f') <= Delta ->
  ratio_at_most (exp loss) (snap choice yF L B f) (snap choice yF L B f') e.
Proof.
  intros L h D excess He; intros; apply ratio_at_most_le with (exp (eps * Rabs (f - f') + excess)).
  - assert (eps * Rabs (f - f') <= eps * Delta) by (apply Rmult_le_compat_l; lra).
    apply exp_le; unfold excess; lra.
  - eapply certified_loss with (rho := rho) (near := near) (W := W) (Dn := Dn); eassumption.
Qed.

(** All hypotheses of [loss_at_most] on concrete numbers. *)
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
