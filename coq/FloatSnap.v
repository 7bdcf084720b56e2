(** The snapping mechanism in binary64.

    [snap choice yF L B f]: clamp the float [f] to [-B, B], add [yF u] with a random sign in floating point,
    round to a multiple of [L], clamp again. [u] is every float of (0, 1) with a probability proportional to
    its ulp, and [yF] is floating-point Laplace noise, for example [rnd (LN u / eps)] for a correctly
    rounded logarithm [LN].

    The sum is post-processing of real noise on one grid of midpoints ([FloatSum]), each threshold has a
    small relative error ([FloatNoise]), and so has each output ([FloatCell]). [snap_loss] bounds the ratio
    of the probabilities of any output for two inputs. [certified_loss] is the same with hypotheses that are
    inequalities between numbers, for certificates.

    That binary64 computes [snap] is shown in [FloatSnapBinary]. Probabilities here are lengths on (0, 1),
    with the numbers below [tiny] drawn again: all of them are too small by the same factor [1 - tiny],
    which does not change ratios. *)

From Coq Require Import Reals ZArith Lra Lia Classical.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Lastbit Require Import Lengths FloatSum FloatCell FloatNoise.
Open Scope R_scope.

(** * The mechanism *)

(** [None]: to be drawn again. *)
Definition snap (choice : Z -> bool) (yF : R -> R) (L B f U s : R) : option R :=
  if Rlt_dec U tiny then None
  else Some (clamp B (round_grid choice L (rnd (clamp B f + s * yF (float_below U))))).

(** Output [e] is at most [c] times as probable under [M] as under [M']. *)
Definition ratio_at_most (c : R) (M M' : R -> R -> option R) (e : R) : Prop :=
  exists p p', has_prob M (Some e) p /\ has_prob M' (Some e) p' /\ p <= c * p'.

Lemma ratio_at_most_le c c' M M' e : c <= c' -> ratio_at_most c M M' e -> ratio_at_most c' M M' e.
Proof.
  intros Hc (p & p' & Hp & Hp' & H); exists p, p'; repeat split; try assumption.
  apply Rle_trans with (1 := H), Rmult_le_compat_r; [| exact Hc].
  now apply event_prob_bounds in Hp'.
Qed.

Lemma clamp_F B x : F B -> F x -> F (clamp B x).
Proof.
  intros HB Hx; assert (F (- B)) by now apply generic_format_opp.
  unfold clamp, Rmax, Rmin; destruct (Rle_dec B x), (Rle_dec _ _); assumption.
Qed.

(** * Probabilities from cuts *)

Lemma cut_false : cut (fun _ => False) tiny.
Proof. pose proof tiny_lt_1; repeat split; try lra; intros; [lra | tauto]. Qed.

Lemma cut_all : cut (fun _ => True) 1.
Proof. pose proof tiny_lt_1; repeat split; try lra; intros; lra. Qed.

Lemma has_length_cuts (P Q E : R -> Prop) V V' :
  cut P V -> cut Q V' -> (forall U, tiny <= U < 1 -> P U -> Q U) ->
  (forall U, 0 < U < 1 -> (E U <-> tiny <= U /\ Q U /\ ~ P U)) -> has_length E (V' - V).
Proof.
  intros CP CQ Hsub HE; pose proof (cut_le _ _ _ _ Hsub CP CQ) as HV; pose proof tiny_pos as Ht.
  destruct CP as ([? ?] & Pin & Pout), CQ as ([? ?] & Qin & Qout).
  exists V, V'; repeat split; try lra.
  - intros U HU; apply HE; [lra |]; split; [lra |]; split; [apply Qin | apply Pout]; lra.
  - intros U HU [HU'|HU'] HEU; apply HE in HEU; try exact HU; destruct HEU as (EU1 & EU2 & EU3).
    + apply EU3, Pin; lra.
    + apply (Qout U); [lra | exact EU2].
Qed.

Lemma snap_some choice yF L B f U s e :
  snap choice yF L B f U s = Some e <->
  tiny <= U /\ output choice L B (rnd (clamp B f + s * yF (float_below U))) = e.
Proof.
  unfold snap; fold (output choice L B (rnd (clamp B f + s * yF (float_below U)))).
  destruct (Rlt_dec U tiny) as [H|H].
  - split; [discriminate | intros [H' _]; lra].
  - split; [intros E; injection E as E; split; [lra | exact E] | intros [_ ->]; reflexivity].
Qed.

Section Snap.

Variables (choice : Z -> bool) (eps rho B d : R) (yF : R -> R) (k N j : Z).
Let L := bpow radix2 k.
Let h := bpow radix2 (j - 54).

Hypothesis eps_pos : 0 < eps.
Hypothesis rho_range : 0 <= rho < 1.
Hypothesis noise : float_noise eps rho yF.
Hypothesis B_pos : 0 < B.
Hypothesis B_float : F B.
(** [N * L] is the first multiple of [L] that is at least [B], and all middles are floats below [2^j]. *)
Hypothesis N_first : (IZR N - 1) * L < B <= IZR N * L.
Hypothesis N_range : (N <= 2 ^ 52)%Z.
Hypothesis k_range : (-1073 <= k)%Z.
Hypothesis j_range : (-1021 <= j)%Z.
Hypothesis below_2j : middle L N < bpow radix2 j.
(** Midpoints are within [h] of the middles, and below them if ties go up: widths of cells differ from [L]
    by at most [d]. *)
Hypothesis d_range : d = 2 * h \/ d = h /\ forall n, choice n = true.

(** The farthest that an input and a threshold are apart. *)
Definition reach : R := eps * (B + middle L N + h).

(** Bounds on the relative errors of tails. *)
Variables kp km : R -> R.
Hypothesis kp_le : forall m m', m <= m' -> kp m <= kp m'.
Hypothesis km_le : forall m m', m <= m' -> km m <= km m'.
Hypothesis kp_bound : forall m, 0 <= m <= reach -> kappa_plus rho m <= kp m.
Hypothesis km_bound : forall m, 0 <= m <= reach -> kappa_minus rho m <= km m.
Hypothesis kp_pos : forall m, 0 <= m -> 0 <= kp m.
Hypothesis km_pos : forall m, 0 <= m -> 0 <= km m.

Let HL : 0 < L.
Proof. apply bpow_gt_0. Qed.

Let Hh : 0 < h.
Proof. apply bpow_gt_0. Qed.

Let N_pos : (1 <= N)%Z := N_at_least_1 L B N HL B_pos N_first.

Lemma middles n : (1 - N <= n <= N)%Z -> F (middle L n).
Proof. intros Hn; apply middle_F; lia. Qed.

Lemma thresholds n :
  (1 - N <= n <= N)%Z ->
  F (threshold choice L n) /\ - middle L N <= middle L n <= middle L N /\
  middle L n - h <= midpoint (threshold choice L n) <= middle L n + (d - h).
Proof.
  intros Hn; pose proof (middles n Hn) as HF.
  assert (HT : - middle L N <= middle L n <= middle L N).
  { rewrite <- middle_opp; unfold middle.
    split; (apply Rmult_le_compat_r; [lra |]; apply Rplus_le_compat_r, IZR_le; lia). }
  split; [now apply threshold_F | split; [exact HT |]].
  pose proof (midpoint_near choice L n j j_range HF (middle_neq_0 L n HL)) as G; cbv zeta in G; fold h in G.
  assert (HA : Rabs (middle L n) < bpow radix2 j)
    by (apply Rle_lt_trans with (2 := below_2j), Rabs_le; exact HT).
  specialize (G HA); destruct d_range as [->|[-> up]].
  - destruct (choice (n - 1)%Z); lra.
  - rewrite up in G; lra.
Qed.

Lemma d_bounds : h <= d <= 2 * h.
Proof. destruct d_range as [->|[-> _]]; lra. Qed.

(** The probability of being below a threshold, for any input. *)
Lemma snap_cdf f n :
  F f -> (1 - N <= n <= N)%Z ->
  let T := threshold choice L n in
  exists Vp Vm,
    cut (fun U => ~ T <= rnd (clamp B f + 1 * yF (float_below U))) Vp /\
    cut (fun U => T <= rnd (clamp B f + -1 * yF (float_below U))) Vm /\
    near_cdf kp km (eps * midpoint T - eps * clamp B f) ((Vp - tiny + (1 - Vm)) / (2 * (1 - tiny))) /\
    eps * clamp B f <> eps * midpoint T /\
    Rabs (eps * midpoint T - eps * clamp B f) <= reach.
Proof.
  intros Hf Hn T; destruct (thresholds n Hn) as (HT & HTN & HTm); fold T in HT, HTm.
  pose proof d_bounds as Hd.
  pose proof (clamp_range B f B_pos) as Hx; pose proof (clamp_F B f B_float Hf) as Fx.
  destruct (noise_cdf eps rho yF eps_pos rho_range noise _ T Fx HT) as (Vp & Vm & CP & CM & NC).
  pose proof (float_not_midpoint _ T Fx HT) as Hne.
  assert (R : Rabs (eps * midpoint T - eps * clamp B f) <= reach).
  { rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq eps) by lra.
    apply Rmult_le_compat_l; [lra |]; apply Rabs_le; lra. }
  exists Vp, Vm; repeat (split; [assumption |]); split; [| split; [| exact R]].
  - apply Rabs_le_inv in R; destruct NC as [NC1 NC2]; split; intros H.
    + destruct (NC1 H) as [A1 A2].
      pose proof (kp_bound (- (eps * midpoint T - eps * clamp B f))).
      pose proof (km_bound (- (eps * midpoint T - eps * clamp B f))).
      pose proof (exp_pos (eps * midpoint T - eps * clamp B f)).
      split; [eapply Rle_trans; [| exact A1] | eapply Rle_trans; [exact A2 |]];
        apply Rmult_le_compat_r; lra.
    + destruct (NC2 H) as [A1 A2].
      pose proof (kp_bound (eps * midpoint T - eps * clamp B f)).
      pose proof (km_bound (eps * midpoint T - eps * clamp B f)).
      pose proof (exp_pos (- (eps * midpoint T - eps * clamp B f))).
      split; [eapply Rle_trans; [| exact A1] | eapply Rle_trans; [exact A2 |]];
        apply Rmult_le_compat_r; lra.
  - intros E; apply Rmult_eq_reg_l in E; [contradiction | lra].
Qed.

(** Inputs [f] and [f'], and a factor [X] for the errors. *)
Variables (f f' X : R).
Hypothesis f_float : F f.
Hypothesis f'_float : F f'.
Hypothesis X_pos : 0 <= X.

Lemma scaled_ratio : exp (Rabs (eps * clamp B f - eps * clamp B f')) * X <= exp (eps * Rabs (f - f')) * X.
Proof.
  apply Rmult_le_compat_r; [exact X_pos |]; apply exp_le.
  rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq eps) by lra.
  apply Rmult_le_compat_l; [lra | apply clamp_contracts].
Qed.

Lemma from_normalised E p p' : p <= E * p' -> (1 - tiny) * p <= E * ((1 - tiny) * p').
Proof. pose proof tiny_lt_1; intros H'; nra. Qed.

(** * The ends *)

(** Inputs on the outer side of the first and the last threshold are at most this far away. *)
Variable near : R.
Hypothesis near_range : eps * (B - middle L N + h) <= near.
Hypothesis ends : end_factor kp km reach near X.

Theorem lower_end_loss :
  ratio_at_most (exp (eps * Rabs (f - f')) * X) (snap choice yF L B f) (snap choice yF L B f') (- B).
Proof.
  apply ratio_at_most_le with (1 := scaled_ratio).
  assert (Hn : (1 - N <= 1 - N <= N)%Z) by lia.
  assert (PROB : forall g Vp Vm,
    cut (fun U => ~ threshold choice L (1 - N) <= rnd (clamp B g + 1 * yF (float_below U))) Vp ->
    cut (fun U => threshold choice L (1 - N) <= rnd (clamp B g + -1 * yF (float_below U))) Vm ->
    has_prob (snap choice yF L B g) (Some (- B)) ((1 - tiny) * ((Vp - tiny + (1 - Vm)) / (2 * (1 - tiny))))).
  { intros g Vp Vm CP CM; exists (Vp - tiny), (1 - Vm); split; [| split].
    - refine (has_length_cuts _ _ _ _ _ cut_false CP _ _); [tauto |].
      intros U HU; rewrite snap_some, (output_lower choice L B N HL B_pos N_first middles)
        by apply rnd_F; tauto.
    - refine (has_length_cuts _ _ _ _ _ CM cut_all _ _); [tauto |].
      intros U HU; rewrite snap_some, (output_lower choice L B N HL B_pos N_first middles)
        by apply rnd_F; tauto.
    - pose proof tiny_lt_1; field; lra. }
  destruct (snap_cdf f (1 - N) f_float Hn) as (Vp & Vm & CP & CM & NC & NE & _).
  destruct (snap_cdf f' (1 - N) f'_float Hn) as (Vp' & Vm' & CP' & CM' & NC' & NE' & _).
  eexists; eexists; split; [exact (PROB f Vp Vm CP CM) | split; [exact (PROB f' Vp' Vm' CP' CM') |]].
  apply from_normalised.
  destruct (thresholds (1 - N) Hn) as (_ & _ & HT).
  pose proof (middle_opp L N) as HO; pose proof d_bounds as Hd.
  assert (FAR : forall g, eps * clamp B g - eps * midpoint (threshold choice L (1 - N)) <= reach /\
                          eps * midpoint (threshold choice L (1 - N)) - eps * clamp B g <= near).
  { intros g; pose proof (clamp_range B g B_pos) as Hg; rewrite <- !Rmult_minus_distr_l; split.
    - apply Rmult_le_compat_l; lra.
    - apply Rle_trans with (2 := near_range), Rmult_le_compat_l; [lra |]; lra. }
  destruct (FAR f), (FAR f').
  apply end_loss with (kp := kp) (km := km) (far := reach) (near := near)
    (g := eps * midpoint (threshold choice L (1 - N))); assumption.
Qed.

Theorem upper_end_loss :
  ratio_at_most (exp (eps * Rabs (f - f')) * X) (snap choice yF L B f) (snap choice yF L B f') B.
Proof.
  apply ratio_at_most_le with (1 := scaled_ratio).
  assert (Hn : (1 - N <= N <= N)%Z) by lia.
  assert (PROB : forall g Vp Vm,
    cut (fun U => ~ threshold choice L N <= rnd (clamp B g + 1 * yF (float_below U))) Vp ->
    cut (fun U => threshold choice L N <= rnd (clamp B g + -1 * yF (float_below U))) Vm ->
    has_prob (snap choice yF L B g) (Some B) ((1 - tiny) * (1 - (Vp - tiny + (1 - Vm)) / (2 * (1 - tiny))))).
  { intros g Vp Vm CP CM; exists (1 - Vp), (Vm - tiny); split; [| split].
    - refine (has_length_cuts _ _ _ _ _ CP cut_all _ _); [tauto |].
      intros U HU; rewrite snap_some, (output_upper choice L B N HL B_pos N_first middles)
        by apply rnd_F.
      destruct (Rle_dec (threshold choice L N) (rnd (clamp B g + 1 * yF (float_below U)))); tauto.
    - refine (has_length_cuts _ _ _ _ _ cut_false CM _ _); [tauto |].
      intros U HU; rewrite snap_some, (output_upper choice L B N HL B_pos N_first middles)
        by apply rnd_F; tauto.
    - pose proof tiny_lt_1; field; lra. }
  destruct (snap_cdf f N f_float Hn) as (Vp & Vm & CP & CM & NC & NE & _).
  destruct (snap_cdf f' N f'_float Hn) as (Vp' & Vm' & CP' & CM' & NC' & NE' & _).
  eexists; eexists; split; [exact (PROB f Vp Vm CP CM) | split; [exact (PROB f' Vp' Vm' CP' CM') |]].
  apply from_normalised.
  destruct (thresholds N Hn) as (_ & _ & HT); pose proof d_bounds as Hd.
  assert (FAR : forall g, eps * midpoint (threshold choice L N) - eps * clamp B g <= reach /\
                          eps * clamp B g - eps * midpoint (threshold choice L N) <= near).
  { intros g; pose proof (clamp_range B g B_pos) as Hg; rewrite <- !Rmult_minus_distr_l; split.
    - apply Rmult_le_compat_l; lra.
    - apply Rle_trans with (2 := near_range), Rmult_le_compat_l; [lra |]; lra. }
  apply near_cdf_opp in NC; apply near_cdf_opp in NC'.
  replace (Rabs (eps * clamp B f - eps * clamp B f')) with (Rabs (- (eps * clamp B f) - - (eps * clamp B f')))
    by (rewrite <- Rabs_Ropp; f_equal; ring).
  destruct (FAR f), (FAR f').
  apply end_loss with (kp := kp) (km := km) (far := reach) (near := near)
    (g := - (eps * midpoint (threshold choice L N)));
    try assumption; try lra.
  - replace (- (eps * midpoint (threshold choice L N)) - - (eps * clamp B f))
      with (- (eps * midpoint (threshold choice L N) - eps * clamp B f)) by ring; exact NC.
  - replace (- (eps * midpoint (threshold choice L N)) - - (eps * clamp B f'))
      with (- (eps * midpoint (threshold choice L N) - eps * clamp B f')) by ring; exact NC'.
Qed.

(** * The outputs between *)

(** [W] bounds the distance of an input from the thresholds of its own output, [Dn] that of the other. *)
Variables W Dn : R.
Let l := eps * (L - d).
Hypothesis l_pos : d < L.
Hypothesis W_range : reach <= W \/ eps * (L + d) <= W.
Hypothesis Dn_range : reach <= Dn \/ eps * (L + d + Rabs (f - f')) <= Dn.
Hypothesis cells : cell_factor kp km l reach W Dn X.

Theorem between_loss n :
  (1 - N <= n < N)%Z ->
  ratio_at_most (exp (eps * Rabs (f - f')) * X) (snap choice yF L B f) (snap choice yF L B f') (IZR n * L).
Proof.
  intros Hn; apply ratio_at_most_le with (1 := scaled_ratio).
  set (T := threshold choice L n); set (T' := threshold choice L (n + 1)).
  assert (ET : middle L (n + 1) = middle L n + L) by (unfold middle; rewrite plus_IZR; ring).
  assert (TT : T <= T').
  { pose proof (threshold_F choice L (n + 1) (middles (n + 1) ltac:(lia))) as HT'; fold T' in HT'.
    apply (round_grid_ge choice L n T' HL HT' (middles n ltac:(lia))).
    assert (n + 1 <= Znearest choice (T' / L))%Z; [| lia].
    now apply (round_grid_ge choice L (n + 1) T' HL HT' (middles (n + 1) ltac:(lia))); right. }
  assert (PROB : forall g Vp Vm Vp' Vm',
    cut (fun U => ~ T <= rnd (clamp B g + 1 * yF (float_below U))) Vp ->
    cut (fun U => T <= rnd (clamp B g + -1 * yF (float_below U))) Vm ->
    cut (fun U => ~ T' <= rnd (clamp B g + 1 * yF (float_below U))) Vp' ->
    cut (fun U => T' <= rnd (clamp B g + -1 * yF (float_below U))) Vm' ->
    has_prob (snap choice yF L B g) (Some (IZR n * L))
      ((1 - tiny) *
       ((Vp' - tiny + (1 - Vm')) / (2 * (1 - tiny)) - (Vp - tiny + (1 - Vm)) / (2 * (1 - tiny))))).
  { intros g Vp Vm Vp' Vm' CP CM CP' CM'; exists (Vp' - Vp), (Vm - Vm'); split; [| split].
    - refine (has_length_cuts _ _ _ _ _ CP CP' _ _); [intros U _ H H'; apply H; lra |].
      intros U HU; rewrite snap_some, (output_between choice L B N HL B_pos N_first middles)
        by (exact Hn || apply rnd_F); fold T T'.
      destruct (Rle_dec T (rnd (clamp B g + 1 * yF (float_below U)))) as [r|r]; clear - r; tauto.
    - refine (has_length_cuts _ _ _ _ _ CM' CM _ _); [intros U _ H; lra |].
      intros U HU; rewrite snap_some, (output_between choice L B N HL B_pos N_first middles)
        by (exact Hn || apply rnd_F); fold T T'; clear; tauto.
    - pose proof tiny_lt_1; field; lra. }
  destruct (snap_cdf f n f_float ltac:(lia)) as (V1 & V2 & C1 & C2 & NC1 & NE1 & R1).
  destruct (snap_cdf f (n + 1) f_float ltac:(lia)) as (V3 & V4 & C3 & C4 & NC2 & NE2 & R2).
  destruct (snap_cdf f' n f'_float ltac:(lia)) as (V5 & V6 & C5 & C6 & NC3 & NE3 & R3).
  destruct (snap_cdf f' (n + 1) f'_float ltac:(lia)) as (V7 & V8 & C7 & C8 & NC4 & NE4 & R4).
  fold T in C1, C2, C5, C6, NC1, NE1, R1, NC3, NE3, R3; fold T' in C3, C4, C7, C8, NC2, NE2, R2, NC4, NE4, R4.
  eexists; eexists; split; [exact (PROB f _ _ _ _ C1 C2 C3 C4) |].
  split; [exact (PROB f' _ _ _ _ C5 C6 C7 C8) |].
  apply from_normalised.
  destruct (thresholds n ltac:(lia)) as (_ & _ & HT).
  destruct (thresholds (n + 1) ltac:(lia)) as (_ & _ & HT').
  fold T in HT; fold T' in HT'.
  assert (l <= eps * midpoint T' - eps * midpoint T <= eps * (L + d)).
  { rewrite <- Rmult_minus_distr_l; unfold l; split; apply Rmult_le_compat_l; lra. }
  assert (Rabs (eps * clamp B f - eps * clamp B f') <= eps * Rabs (f - f')).
  { rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq eps) by lra.
    apply Rmult_le_compat_l; [lra | apply clamp_contracts]. }
  apply cell_loss with (kp := kp) (km := km) (l := l) (D := reach) (W := W) (Dn := Dn)
    (g1 := eps * midpoint T) (g2 := eps * midpoint T'); try assumption; try lra.
  - unfold l; apply Rmult_lt_0_compat; lra.
Qed.

(** Any output. *)
Theorem snap_loss e :
  ratio_at_most (exp (eps * Rabs (f - f')) * X) (snap choice yF L B f) (snap choice yF L B f') e.
Proof.
  destruct (Req_dec e (- B)) as [->|E1]; [exact lower_end_loss |].
  destruct (Req_dec e B) as [->|E2]; [exact upper_end_loss |].
  destruct (classic (exists n, (1 - N <= n < N)%Z /\ e = IZR n * L)) as [(n & Hn & ->)|E3];
    [now apply between_loss |].
  assert (Z : forall g, has_prob (snap choice yF L B g) (Some e) 0).
  { intros g; apply event_prob_empty; intros U s _ _ H; apply snap_some in H; destruct H as [_ H].
    destruct (output_cases choice L B N HL B_pos N_first (rnd (clamp B g + s * yF (float_below U))))
      as [H'|[H'|(n & Hn & H')]].
    - apply E1; congruence.
    - apply E2; congruence.
    - apply E3; exists n; split; [exact Hn | congruence]. }
  exists 0, 0; repeat split; try apply Z; lra.
Qed.

End Snap.

(** * Certificates *)

(** [kappa_plus] where the ulp of [u] is not less than its least value, [tiny]. *)
Definition ulp_plus (rho m : R) : R := exp (m * rho / (1 + rho)) * (1 + bpow radix2 (-52)) - 1.

Lemma kappa_plus_ulp rho D m :
  0 <= rho -> tiny * exp (D / (1 + rho)) <= bpow radix2 (-52) -> m <= D -> kappa_plus rho m = ulp_plus rho m.
Proof.
  intros Hr HD Hm; unfold kappa_plus, ulp_plus; rewrite Rmax_left; [reflexivity |].
  apply Rle_trans with (2 := HD), Rmult_le_compat_l; [left; apply tiny_pos |].
  apply exp_le, scaled_le; [left; apply Rinv_0_lt_compat; lra | exact Hm].
Qed.

Lemma ulp_plus_le rho m m' : 0 <= rho -> m <= m' -> ulp_plus rho m <= ulp_plus rho m'.
Proof.
  intros Hr Hm; apply Rplus_le_compat_r, Rmult_le_compat_r; [pose proof (bpow_gt_0 radix2 (-52)); lra |].
  apply exp_le; unfold Rdiv; rewrite !Rmult_assoc; apply scaled_le; [| exact Hm].
  apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
Qed.

Lemma ulp_plus_pos rho m : 0 <= rho -> 0 <= m -> 0 <= ulp_plus rho m.
Proof.
  intros Hr Hm; apply Rle_trans with (2 := ulp_plus_le rho 0 m Hr Hm).
  unfold ulp_plus, Rdiv; rewrite !Rmult_0_l, exp_0; pose proof (bpow_gt_0 radix2 (-52)); lra.
Qed.

(** For all floats [f] and [f'] that are at most [Delta] apart and every output the loss is at most
    [loss], of which [eps * Delta] is that of the ideal mechanism.  The hypotheses on numbers say that
    - [N * L] is the first multiple of the grid [L = 2^k] that is at least [B];
    - middles between multiples are less than [2^j], so that cells have widths between [L - d] and [L + d];
    - within the reach [D] of the noise, an ulp of [u] is more than the least float;
    - [exp excess] covers the errors of the two ends and of the outputs between. *)
Theorem certified_loss (choice : Z -> bool) (loss eps rho B d Delta near W Dn : R) (yF : R -> R)
  (k N j : Z) :
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
  intros L h D excess He Hr Hy HB FB HN HN2 Hk Hj HT Hd Hh Ht Hnear HW HDn HE HC f f' e Hf Hf' Hff.
  apply ratio_at_most_le with (exp (eps * Rabs (f - f') + excess)).
  { apply exp_le; assert (eps * Rabs (f - f') <= eps * Delta) by (apply Rmult_le_compat_l; lra).
    unfold excess; lra. }
  rewrite exp_plus.
  apply snap_loss with (rho := rho) (d := d) (N := N) (j := j) (kp := ulp_plus rho) (km := kappa_minus rho)
    (near := near) (W := W) (Dn := Dn); try assumption.
  - intros m m'; apply ulp_plus_le; lra.
  - intros m m'; now apply kappa_minus_le.
  - intros m Hm; right; apply kappa_plus_ulp with (D := D); [lra | exact Ht | apply Hm].
  - intros m _; apply Rle_refl.
  - intros m; apply ulp_plus_pos; lra.
  - intros m; now apply kappa_minus_pos.
  - left; apply exp_pos.
  - destruct HDn as [HDn|HDn]; [now left | right].
    apply Rle_trans with (2 := HDn), Rmult_le_compat_l; [lra |]; fold L h; lra.
Qed.

(** Proves the hypotheses of [certified_loss] on numbers. *)
Ltac snap_numbers :=
  unfold end_factor, cell_factor, one_up, one_down, own_up, own_down, ulp_plus, kappa_minus, middle, tiny;
  repeat match goal with |- context [(?j - 54)%Z] =>
    let i := eval compute in (j - 54)%Z in change (j - 54)%Z with i end;
  repeat split; interval with (i_prec 160).
