(** The noise of a correctly rounded logarithm.

    [rnd (LN u / eps)] and [rnd (lambda * LN u)] round twice, each time with a relative error of at most
    [eta / (1 + eta)], [eta = 2^-53]: the logarithm of a float other than 1 is not less than [2^-53], so
    nothing underflows. Together that is at most [2 * eta]. Dividing by a power of two is exact, which
    leaves [eta]. Both functions are nondecreasing because rounding and the logarithm are. *)

From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core Relative Mult_error.
From Interval Require Import Tactic.
From Lastbit Require RealRules.
From Lastbit Require Import FloatSum FloatCell FloatNoise.
Open Scope R_scope.

Definition correctly_rounded_ln (LN : R -> R) : Prop := forall u, F u -> 0 < u < 1 -> LN u = rnd (ln u).

(** One rounding, without underflow. *)
Definition eta1 : R := bpow radix2 (-53) / (1 + bpow radix2 (-53)).

Lemma eta1_range : 0 < eta1 < bpow radix2 (-53).
Proof. unfold eta1; split; interval with (i_prec 80). Qed.

Lemma rnd_error x : bpow radix2 (-1022) <= Rabs x -> Rabs (rnd x - x) <= eta1 * Rabs x.
Proof.
  intros Hx; unfold rnd, fexp; rewrite (round_FLT_FLX radix2 (-1074) 53) by exact Hx.
  replace eta1 with (u_ro radix2 53 / (1 + u_ro radix2 53)); [apply relative_error_N_FLX'; lia |].
  assert (E : u_ro radix2 53 = bpow radix2 (-53)).
  { unfold u_ro; rewrite bpow_plus; change (bpow radix2 1) with 2; change (- (53))%Z with (-53)%Z; field. }
  rewrite E; reflexivity.
Qed.

(** Logarithms of floats are not tiny. *)
Lemma ln_float u : F u -> 0 < u < 1 -> ln u <= - bpow radix2 (-53).
Proof.
  intros Hu Hu1.
  assert (H : u <= 1 - bpow radix2 (-53)).
  { change 1 with (bpow radix2 0); change (-53)%Z with (fexp 0); rewrite <- pred_bpow.
    apply pred_ge_gt; [apply fexp_valid | exact Hu | | apply Hu1].
    apply generic_format_bpow; unfold fexp, FLT_exp; lia. }
  pose proof (exp_ineq1_le (ln u)) as E; rewrite exp_ln in E by lra; lra.
Qed.

Section Noise.

Variable LN : R -> R.
Hypothesis LN_correct : correctly_rounded_ln LN.

Lemma LN_error u :
  F u -> 0 < u < 1 ->
  Rabs (LN u - ln u) <= eta1 * Rabs (ln u) /\ bpow radix2 (-54) <= Rabs (LN u) /\ F (LN u).
Proof.
  intros Hu Hu1; rewrite LN_correct by assumption.
  pose proof (ln_float u Hu Hu1) as Hl; pose proof eta1_range as He.
  assert (B53 : bpow radix2 (-1022) <= bpow radix2 (-53)) by (apply bpow_le; lia).
  assert (Hr : Rabs (rnd (ln u) - ln u) <= eta1 * Rabs (ln u)).
  { apply rnd_error; rewrite Rabs_left1; pose proof (bpow_gt_0 radix2 (-53)); lra. }
  split; [exact Hr | split].
  - assert (rnd (ln u) <= - bpow radix2 (-53)).
    { apply round_le_generic; [apply fexp_valid | apply valid_rnd_N | | exact Hl].
      apply generic_format_opp, generic_format_bpow; unfold fexp, FLT_exp; lia. }
    assert (bpow radix2 (-54) <= bpow radix2 (-53)) by (apply bpow_le; lia).
    rewrite Rabs_left1; pose proof (bpow_gt_0 radix2 (-53)); lra.
  - apply rnd_F.
Qed.

(** Two roundings. *)
Theorem scaled_noise q :
  bpow radix2 (-900) <= q -> float_noise (/ q) (bpow radix2 (-52)) (fun u => rnd (q * LN u)).
Proof.
  intros Hq; pose proof (bpow_gt_0 radix2 (-900)) as H0; split.
  - intros u v Hu Hv Huv Hv1; rewrite !LN_correct by (assumption || lra).
    apply rnd_le, Rmult_le_compat_l; [lra |]; now apply rnd_le, RealRules.ln_le.
  - intros u Hu Hu1; destruct (LN_error u Hu Hu1) as (E1 & E2 & _).
    pose proof eta1_range as He.
    assert (E3 : bpow radix2 (-1022) <= Rabs (q * LN u)).
    { rewrite Rabs_mult, (Rabs_pos_eq q) by lra.
      apply Rle_trans with (bpow radix2 (-900) * bpow radix2 (-54)).
      - rewrite <- bpow_plus; apply bpow_le; lia.
      - apply Rmult_le_compat; try lra; apply bpow_ge_0. }
    apply rnd_error in E3.
    replace (ln u / / q) with (q * ln u) by (field; lra).
    set (b := LN u) in *; set (a := ln u) in *.
    rewrite Rabs_mult, (Rabs_pos_eq q) in * by lra.
    assert (Rb : Rabs b <= (1 + eta1) * Rabs a).
    { pose proof (Rabs_triang_inv b a); lra. }
    assert (S : Rabs (q * b - q * a) <= q * (eta1 * Rabs a)).
    { rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq q) by lra; apply Rmult_le_compat_l; lra. }
    replace (rnd (q * b) - q * a) with ((rnd (q * b) - q * b) + (q * b - q * a)) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _).
    assert (Z : eta1 * (q * Rabs b) <= eta1 * (q * ((1 + eta1) * Rabs a)))
      by (apply Rmult_le_compat_l; [lra |]; apply Rmult_le_compat_l; lra).
    assert (K : eta1 * (1 + eta1) + eta1 <= bpow radix2 (-52)) by (unfold eta1; interval with (i_prec 200)).
    assert (P : 0 <= q * Rabs a) by (apply Rmult_le_pos; [lra | apply Rabs_pos]).
    pose proof (Rmult_le_compat_r _ _ _ P K); lra.
Qed.

Theorem divided_noise eps :
  0 < eps <= bpow radix2 900 -> float_noise eps (bpow radix2 (-52)) (fun u => rnd (LN u / eps)).
Proof.
  intros He; assert (bpow radix2 (-900) <= / eps).
  { change (-900)%Z with (- (900))%Z; rewrite bpow_opp; apply Rinv_le; lra. }
  destruct (scaled_noise (/ eps) H) as [N1 N2]; rewrite Rinv_inv in N2.
  split; intros u; [intros v |]; unfold Rdiv; [rewrite !(Rmult_comm _ (/ eps)); apply N1 |].
  rewrite (Rmult_comm (LN u)); apply N2.
Qed.

(** Division by a power of two is exact. *)
Theorem divided_by_power k :
  (k <= 900)%Z -> float_noise (bpow radix2 k) (bpow radix2 (-53)) (fun u => rnd (LN u / bpow radix2 k)).
Proof.
  intros Hk; pose proof (bpow_gt_0 radix2 k) as H0; split.
  - apply divided_noise; split; [exact H0 | now apply bpow_le].
  - intros u Hu Hu1; destruct (LN_error u Hu Hu1) as (E1 & E2 & E3).
    assert (E : rnd (LN u / bpow radix2 k) = LN u / bpow radix2 k).
    { apply rnd_id.
      unfold Rdiv; rewrite <- bpow_opp; apply mult_bpow_exact_FLT; [exact E3 |].
      assert (-53 <= mag radix2 (LN u))%Z; [| lia].
      apply mag_ge_bpow; exact E2. }
    rewrite E; unfold Rdiv; rewrite <- Rmult_minus_distr_r, !Rabs_mult, <- Rmult_assoc.
    apply Rmult_le_compat_r; [apply Rabs_pos |].
    apply Rle_trans with (1 := E1), Rmult_le_compat_r; [apply Rabs_pos |]; pose proof eta1_range; lra.
Qed.

Theorem scaled_by_power k :
  (-900 <= k)%Z -> float_noise (/ bpow radix2 k) (bpow radix2 (-53)) (fun u => rnd (bpow radix2 k * LN u)).
Proof.
  intros Hk; rewrite <- bpow_opp.
  assert (E : forall u, bpow radix2 k * LN u = LN u / bpow radix2 (- k)).
  { intros u; unfold Rdiv; rewrite <- bpow_opp, Z.opp_involutive; apply Rmult_comm. }
  destruct (divided_by_power (- k)) as [H1 H2]; [lia |].
  split; intros; rewrite !E; auto.
Qed.

End Noise.
