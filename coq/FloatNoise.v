(** Floating-point Laplace noise, one threshold.

    The sampler draws each float [u] of (0, 1) with a probability proportional to its ulp: it is the float
    below a uniform real number [U], and [U < 2^-1074], which has no positive float below it, is drawn
    again. The noise is a nondecreasing function [yF u] that is [ln u / eps] up to a relative error [rho].

    For [A < 0] the event [yF u < A], open or closed, lies between [u < v-] and [u <= v+] where [v-] and
    [v+] are [exp (eps * A / (1 - rho))] and [exp (eps * A / (1 + rho))]. The grid of the floats adds at
    most one ulp, and the least float is missing. So the event has the probability [exp (eps * A) * (1 + k)]
    with [- kappa_minus <= k <= kappa_plus] ([tail]), and together with the sum of [FloatSum]: a float [x]
    plus noise with a random sign is less than a float [T] almost as probably as with exact noise and with
    the midpoint below [T] for [T] ([noise_cdf]). *)

From Coq Require Import Reals ZArith Lra Lia Classical.
From Flocq Require Import Core.
From Lastbit Require Import FloatSum FloatCell.
Open Scope R_scope.

(** * The sampler *)

(** The least positive float. *)
Definition tiny : R := bpow radix2 (-1074).

Lemma tiny_pos : 0 < tiny.
Proof. apply bpow_gt_0. Qed.

Lemma tiny_le u : F u -> 0 < u -> tiny <= u.
Proof.
  intros Hu H; apply generic_format_ge_bpow with (fexp := fexp); [| exact H | exact Hu].
  intros e; unfold fexp, FLT_exp; lia.
Qed.

Lemma tiny_lt_1 : tiny < 1.
Proof. apply (bpow_lt radix2 (-1074) 0); lia. Qed.

Definition float_below (U : R) : R := round radix2 fexp Zfloor U.

(** The real numbers that become the float [v] are an interval of the length of an ulp: that is the
    probability of [v], but for the factor [1 / (1 - tiny)] for numbers that are drawn again. *)
Theorem float_below_eq v U :
  F v -> 0 <= v -> (float_below U = v <-> v <= U < v + ulp radix2 fexp v).
Proof.
  intros Hv Hv0; rewrite <- succ_eq_pos by exact Hv0; unfold float_below; split.
  - intros E.
    destruct (round_DN_pt radix2 fexp U) as (_ & Hle & Hmax); rewrite E in *.
    split; [exact Hle |]; apply Rnot_le_lt; intros H.
    assert (v < succ radix2 fexp v).
    { rewrite succ_eq_pos by exact Hv0.
      assert (0 < ulp radix2 fexp v); [| lra].
      destruct (Req_dec v 0) as [->|H0]; [| rewrite ulp_neq_0 by exact H0; apply bpow_gt_0].
      unfold fexp; rewrite (ulp_FLT_0 radix2 (-1074) 53); apply bpow_gt_0. }
    assert (succ radix2 fexp v <= v); [| lra].
    apply Hmax; [apply generic_format_succ; [apply fexp_valid | exact Hv] | exact H].
  - intros H; now apply round_DN_eq; [apply fexp_valid | |].
Qed.

Lemma ulp_le_grain v : 0 <= v -> ulp radix2 fexp v <= Rmax (bpow radix2 (-52) * v) tiny.
Proof.
  intros Hv; destruct (Rlt_or_le v (bpow radix2 (-1022))) as [H|H].
  - unfold fexp; rewrite ulp_FLT_small; [apply Rmax_r | exact prec_53 |].
    rewrite Rabs_pos_eq by exact Hv; apply Rlt_trans with (1 := H); apply bpow_lt; lia.
  - eapply Rle_trans; [| apply Rmax_l].
    pose proof (ulp_FLT_le radix2 (-1074) 53 v) as U; rewrite Rabs_pos_eq in U by exact Hv.
    rewrite Rmult_comm; now apply U.
Qed.

Lemma float_below_spec U :
  tiny <= U < 1 ->
  F (float_below U) /\ 0 < float_below U < 1 /\ float_below U <= U /\
  U < float_below U + Rmax (bpow radix2 (-52) * float_below U) tiny.
Proof.
  intros HU; pose proof tiny_pos as Ht.
  destruct (round_DN_pt radix2 fexp U) as (Hf & Hle & Hmax); fold (float_below U) in *.
  assert (tiny <= float_below U).
  { apply Hmax; [| lra]; apply generic_format_bpow; unfold fexp, FLT_exp; lia. }
  repeat split; try lra; [exact Hf |].
  assert (0 <= float_below U) as H0 by lra.
  pose proof (proj1 (float_below_eq (float_below U) U Hf H0) eq_refl).
  pose proof (ulp_le_grain (float_below U) H0); lra.
Qed.

(** * Relative errors of a tail *)

Definition kappa_plus (rho m : R) : R :=
  exp (m * rho / (1 + rho)) * (1 + Rmax (bpow radix2 (-52)) (tiny * exp (m / (1 + rho)))) - 1.
Definition kappa_minus (rho m : R) : R :=
  1 - exp (- (m * rho / (1 - rho))) + tiny * exp (m / (1 - rho)).

Lemma scaled_le a m m' : 0 <= a -> m <= m' -> m * a <= m' * a.
Proof. intros; now apply Rmult_le_compat_r. Qed.

Lemma kappa_minus_le rho m m' : 0 <= rho < 1 -> m <= m' -> kappa_minus rho m <= kappa_minus rho m'.
Proof.
  intros Hr Hm; pose proof tiny_pos as Ht.
  assert (Hi : 0 < / (1 - rho)) by (apply Rinv_0_lt_compat; lra).
  assert (exp (- (m' * rho / (1 - rho))) <= exp (- (m * rho / (1 - rho)))).
  { apply exp_le, Ropp_le_contravar; unfold Rdiv; rewrite !Rmult_assoc; apply scaled_le;
      [apply Rmult_le_pos |]; lra. }
  assert (tiny * exp (m / (1 - rho)) <= tiny * exp (m' / (1 - rho))).
  { apply Rmult_le_compat_l; [lra |]; apply exp_le, scaled_le; lra. }
  unfold kappa_minus; lra.
Qed.

Lemma kappa_minus_pos rho m : 0 <= rho < 1 -> 0 <= m -> 0 <= kappa_minus rho m.
Proof.
  intros Hr Hm; apply Rle_trans with (2 := kappa_minus_le rho 0 m Hr Hm).
  unfold kappa_minus, Rdiv; rewrite !Rmult_0_l, Ropp_0, exp_0; pose proof tiny_pos; lra.
Qed.

(** * Events that hold for small [U] *)

(** [P] holds below [V] and fails above it; what is below [tiny] is drawn again. *)
Definition cut (P : R -> Prop) (V : R) : Prop :=
  tiny <= V <= 1 /\ (forall U, tiny <= U < V -> P U) /\ (forall U, V < U < 1 -> ~ P U).

Lemma cut_exists (P : R -> Prop) :
  (forall U U', tiny <= U <= U' -> U' < 1 -> P U' -> P U) -> exists V, cut P V.
Proof.
  intros HP; pose proof tiny_lt_1 as Ht1.
  set (E := fun V => tiny <= V <= 1 /\ forall U, tiny <= U < V -> P U).
  destruct (completeness E) as [V [Hub Hlub]].
  - exists 1; intros V HV; apply HV.
  - exists tiny; split; [lra | intros; lra].
  - assert (tiny <= V) by (apply Hub; split; [lra | intros; lra]).
    assert (V <= 1) by (apply Hlub; intros V' HV'; apply HV').
    exists V; repeat split; try assumption.
    + intros U HU; destruct (classic (P U)) as [HU'|HU']; [exact HU' |].
      assert (V <= U); [| lra].
      apply Hlub; intros V' [HV1 HV2]; apply Rnot_lt_le; intros HV'; apply HU', HV2; lra.
    + intros U HU HPU; assert (U <= V); [| lra].
      apply Hub; split; [lra |]; intros U' HU'; apply (HP U' U); [lra | lra | exact HPU].
Qed.

Lemma cut_true (P : R -> Prop) V : (forall U, tiny <= U < 1 -> P U) -> cut P V -> V = 1.
Proof.
  intros HP ([H1 H2] & _ & Hout); apply Rle_antisym; [exact H2 |]; apply Rnot_lt_le; intros H.
  pose proof tiny_pos; apply (Hout ((V + 1) / 2)); [lra | apply HP; lra].
Qed.

Lemma cut_le (P Q : R -> Prop) V V' :
  (forall U, tiny <= U < 1 -> P U -> Q U) -> cut P V -> cut Q V' -> V <= V'.
Proof.
  intros Hsub ([? ?] & Hin & _) ([? ?] & _ & Hout); apply Rnot_lt_le; intros HV.
  apply (Hout ((V + V') / 2)); [lra |]; apply Hsub; [lra | apply Hin; lra].
Qed.

(** * The noise *)

(** [yF u] is nondecreasing, and [ln u / eps] up to a relative error of [rho]. *)
Definition float_noise (eps rho : R) (yF : R -> R) : Prop :=
  (forall u v, F u -> F v -> 0 < u <= v -> v < 1 -> yF u <= yF v) /\
  (forall u, F u -> 0 < u < 1 -> Rabs (yF u - ln u / eps) <= rho * Rabs (ln u / eps)).

Section Noise.

Variables (eps rho : R) (yF : R -> R).
Hypothesis eps_pos : 0 < eps.
Hypothesis rho_range : 0 <= rho < 1.
Hypothesis noise : float_noise eps rho yF.

Lemma noise_bounds u : F u -> 0 < u < 1 -> (1 + rho) * ln u <= eps * yF u <= (1 - rho) * ln u.
Proof.
  intros Hu Hu1; pose proof (proj2 noise u Hu Hu1) as E.
  assert (Hl : ln u < 0) by (rewrite <- ln_1; now apply ln_increasing).
  assert (Hi : 0 < / eps) by now apply Rinv_0_lt_compat.
  rewrite (Rabs_left (ln u / eps)) in E by (unfold Rdiv; nra).
  apply Rabs_le_inv in E.
  assert (D : eps * (ln u / eps) = ln u) by (field; lra).
  set (d := ln u / eps) in *.
  assert (H1 : eps * (d + rho * d) <= eps * yF u) by (apply Rmult_le_compat_l; lra).
  assert (H2 : eps * yF u <= eps * (d - rho * d)) by (apply Rmult_le_compat_l; lra).
  rewrite <- D; lra.
Qed.

Lemma noise_neg u : F u -> 0 < u < 1 -> yF u < 0.
Proof.
  intros Hu Hu1; pose proof (noise_bounds u Hu Hu1) as [_ H].
  assert (Hl : ln u < 0) by (rewrite <- ln_1; now apply ln_increasing); nra.
Qed.

(** One threshold: an event that holds where the noise is below [A], fails where it is above, and does what it
    likes where it is [A]. *)
Theorem tail (P : R -> Prop) A V :
  A < 0 ->
  (forall u, F u -> 0 < u < 1 -> yF u < A -> P u) ->
  (forall u, F u -> 0 < u < 1 -> P u -> yF u <= A) ->
  cut (fun U => P (float_below U)) V ->
  within (kappa_plus rho (- (eps * A))) (kappa_minus rho (- (eps * A))) (exp (eps * A))
    ((V - tiny) / (1 - tiny)).
Proof.
  intros HA Hin Hout ([V0 V1] & Cin & Cout); pose proof tiny_pos as Ht; pose proof tiny_lt_1 as Ht1.
  set (m := - (eps * A)); assert (Hm : 0 < m) by (unfold m; nra).
  set (vm := exp (- m / (1 - rho))); set (vp := exp (- m / (1 + rho))).
  assert (Hvm : 0 < vm < 1).
  { split; [apply exp_pos | apply exp_lt_1]; unfold Rdiv.
    assert (0 < / (1 - rho)) by (apply Rinv_0_lt_compat; lra); nra. }
  assert (Hvp : 0 < vp) by apply exp_pos.
  assert (LB : vm <= V).
  { apply Rnot_lt_le; intros H; set (U := (V + vm) / 2).
    destruct (float_below_spec U) as (Fu & Hu & HuU & _); [unfold U; lra |].
    apply (Cout U); [unfold U; lra |]; apply Hin; [exact Fu | exact Hu |].
    assert (Hl : ln (float_below U) < - m / (1 - rho)).
    { rewrite <- (ln_exp (- m / (1 - rho))); apply ln_increasing; [lra |]; fold vm; unfold U in *; lra. }
    pose proof (noise_bounds _ Fu Hu) as [_ H2].
    assert (H3 : (1 - rho) * ln (float_below U) < (1 - rho) * (- m / (1 - rho)))
      by (apply Rmult_lt_compat_l; lra).
    replace ((1 - rho) * (- m / (1 - rho))) with (eps * A) in H3 by (unfold m; field; lra).
    apply Rmult_lt_reg_l with eps; lra. }
  set (grain := Rmax (bpow radix2 (-52) * vp) tiny).
  assert (Hg : tiny <= grain) by apply Rmax_r.
  assert (UB : V <= vp + grain).
  { apply Rnot_lt_le; intros H; set (U := (V + (vp + grain)) / 2).
    destruct (float_below_spec U) as (Fu & Hu & HuU & Hgap); [unfold U; lra |].
    assert (HP : P (float_below U)) by (apply Cin; unfold U; lra).
    apply Hout in HP; [| exact Fu | exact Hu].
    pose proof (noise_bounds _ Fu Hu) as [H2 _].
    assert (H3 : (1 + rho) * ln (float_below U) <= eps * A)
      by (apply Rle_trans with (1 := H2), Rmult_le_compat_l; lra).
    assert (Hl : ln (float_below U) <= - m / (1 + rho)).
    { apply Rmult_le_reg_l with (1 + rho); [lra |].
      replace ((1 + rho) * (- m / (1 + rho))) with (eps * A) by (unfold m; field; lra); exact H3. }
    assert (Hv : float_below U <= vp).
    { rewrite <- (exp_ln (float_below U)) by lra; apply exp_le, Hl. }
    assert (Rmax (bpow radix2 (-52) * float_below U) tiny <= grain).
    { apply Rle_max_compat_r, Rmult_le_compat_l; [apply bpow_ge_0 | exact Hv]. }
    unfold U in *; lra. }
  assert (Q : (V - tiny) / (1 - tiny) * (1 - tiny) = V - tiny) by (field; lra).
  set (q := (V - tiny) / (1 - tiny)) in *.
  assert (Hq : V - tiny <= q <= V) by (split; nra).
  replace (eps * A) with (- m) by (unfold m; ring).
  split.
  - apply Rle_trans with (vm - tiny); [| lra].
    unfold kappa_minus, vm.
    replace (- m / (1 - rho)) with (- m + - (m * rho / (1 - rho))) by (field; lra).
    assert (T : tiny <= exp (- m) * (tiny * exp (m / (1 - rho)))).
    { replace (exp (- m) * (tiny * exp (m / (1 - rho)))) with (tiny * exp (m * rho / (1 - rho))).
      - rewrite <- (Rmult_1_r tiny) at 1; apply Rmult_le_compat_l; [lra |].
        apply Rle_trans with (exp 0); [rewrite exp_0; lra |]; apply exp_le; unfold Rdiv.
        assert (0 < / (1 - rho)) by (apply Rinv_0_lt_compat; lra).
        apply Rmult_le_pos; [apply Rmult_le_pos |]; lra.
      - replace (m * rho / (1 - rho)) with (- m + m / (1 - rho)) by (field; lra).
        rewrite exp_plus; ring. }
    rewrite exp_plus; lra.
  - apply Rle_trans with (vp + grain); [lra |].
    assert (Ep : vp = exp (- m) * exp (m * rho / (1 + rho))).
    { unfold vp; rewrite <- exp_plus; f_equal; field; lra. }
    assert (Eg : grain = vp * Rmax (bpow radix2 (-52)) (tiny * exp (m / (1 + rho)))).
    { unfold grain; rewrite <- RmaxRmult by lra; f_equal; [ring |].
      replace (vp * (tiny * exp (m / (1 + rho)))) with (tiny * (vp * exp (m / (1 + rho)))) by ring.
      unfold vp; rewrite <- exp_plus.
      replace (- m / (1 + rho) + m / (1 + rho)) with 0 by (field; lra); rewrite exp_0; ring. }
    rewrite Eg; unfold kappa_plus.
    set (g := Rmax (bpow radix2 (-52)) (tiny * exp (m / (1 + rho)))).
    rewrite Ep; lra.
Qed.

(** A float [x] plus noise with a random sign is below [T] almost as probably as with exact noise. The
    events for the two signs are cut at [Vp] and [Vm]. *)
Theorem noise_cdf x T :
  F x -> F T ->
  exists Vp Vm,
    cut (fun U => ~ T <= rnd (x + 1 * yF (float_below U))) Vp /\
    cut (fun U => T <= rnd (x + -1 * yF (float_below U))) Vm /\
    near_cdf (kappa_plus rho) (kappa_minus rho) (eps * midpoint T - eps * x)
      ((Vp - tiny + (1 - Vm)) / (2 * (1 - tiny))).
Proof.
  intros Hx HT; pose proof tiny_pos as Ht; pose proof tiny_lt_1 as Ht1.
  assert (MON : forall U U', tiny <= U <= U' -> U' < 1 -> yF (float_below U) <= yF (float_below U')).
  { intros U U' HU HU'.
    destruct (float_below_spec U) as (Fu & Hu & _); [lra |].
    destruct (float_below_spec U') as (Fu' & Hu' & _); [lra |].
    apply (proj1 noise); try assumption; [split; [lra |] | lra].
    apply round_le; [apply fexp_valid | apply valid_rnd_DN | lra]. }
  destruct (cut_exists (fun U => ~ T <= rnd (x + 1 * yF (float_below U)))) as [Vp CVp].
  { intros U U' HU HU' H; pose proof (MON U U' HU HU') as Hy; intros H'; apply H.
    apply Rle_trans with (1 := H'), rnd_le; lra. }
  destruct (cut_exists (fun U => T <= rnd (x + -1 * yF (float_below U)))) as [Vm CVm].
  { intros U U' HU HU' H; pose proof (MON U U' HU HU') as Hy.
    apply Rle_trans with (1 := H), rnd_le; lra. }
  exists Vp, Vm; split; [exact CVp | split; [exact CVm |]].
  assert (NEG : forall U, tiny <= U < 1 -> yF (float_below U) < 0).
  { intros U HU; destruct (float_below_spec U) as (Fu & Hu & _); [lra |]; now apply noise_neg. }
  split; intros H.
  - assert (HA : midpoint T - x < 0) by (apply Rmult_lt_reg_l with eps; lra).
    assert (Vm = 1) as ->.
    { refine (cut_true _ _ _ CVm); intros U HU; apply rnd_ge_iff; try assumption.
      left; pose proof (NEG U HU); lra. }
    pose proof (tail (fun u => ~ T <= rnd (x + 1 * yF u)) (midpoint T - x) Vp HA) as W.
    replace (eps * midpoint T - eps * x) with (eps * (midpoint T - x)) by ring.
    replace (2 * ((Vp - tiny + (1 - 1)) / (2 * (1 - tiny)))) with ((Vp - tiny) / (1 - tiny)) by (field; lra).
    apply W; try assumption; intros u Fu Hu Hy; rewrite rnd_ge_iff in * by assumption; lra.
  - assert (HA : x - midpoint T < 0) by (apply Rmult_lt_reg_l with eps; lra).
    assert (Vp = 1) as ->.
    { refine (cut_true _ _ _ CVp); intros U HU; rewrite rnd_ge_iff by assumption.
      pose proof (NEG U HU); lra. }
    pose proof (tail (fun u => T <= rnd (x + -1 * yF u)) (x - midpoint T) Vm HA) as W.
    replace (eps * midpoint T - eps * x) with (- (eps * (x - midpoint T))) by ring; rewrite Ropp_involutive.
    replace (2 * (1 - (1 - tiny + (1 - Vm)) / (2 * (1 - tiny)))) with ((Vm - tiny) / (1 - tiny))
      by (field; lra).
    apply W; try assumption; intros u Fu Hu Hy; rewrite rnd_ge_iff in * by assumption; lra.
Qed.

End Noise.
