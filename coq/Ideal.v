(** The snapping mechanism over the real numbers is private.

    The mechanism adds Laplace noise [s * ln u / eps] to its input [x], rounds to a multiple of [L] and
    clamps to [-B, B]; [u] is uniform on (0, 1) and [s] is a fair sign.  The proof goes output by output.
    Rounding and clamping are monotone, so the noisy values that give an output form an interval.  For each
    sign an interval of noisy values is an interval of [u], whose length is its probability; both signs
    together make the masses of Handelman.v.  A change of the input by at most [Delta] multiplies the ends
    of all intervals, as seen from the input, by one factor between [exp (- (eps * Delta))] and [exp (eps *
    Delta)], and the inequality of Handelman.v does the rest.  The signs must be taken together: a value
    between two inputs is reached from them with different signs.

    Nothing else is needed of [eps], [L] and [B] than that they are positive. *)

Require Import Reals ZArith List Lra Classical.
From Flocq Require Import Core.
From Lastbit Require Export Snapping.
From Lastbit Require Import Lengths Handelman.
Open Scope R_scope.

(** * The mechanism *)

(** The input [x] with Laplace noise of scale [/ eps]. *)
Definition noisy (eps x u s : R) : R := x + s * ln u / eps.

Definition snap (eps L B x u s : R) : R := clamp B (round_half_up L (noisy eps x u s)).

(** * Intervals of noisy values and their probabilities *)

(** The point [t] seen from the input [x]: below 1 if it lies below [x], above 1 if it lies above. *)
Definition seen (eps x t : R) : R := exp (eps * (t - x)).

Section Noise.

Variables eps x : R.
Hypothesis eps_pos : 0 < eps.

Lemma seen_pos t : 0 < seen eps x t.
Proof. apply exp_pos. Qed.

Lemma seen_le a b : a <= b -> seen eps x a <= seen eps x b.
Proof. intros H; apply Raux.exp_le, Rmult_le_compat_l; lra. Qed.

Lemma inv_seen t : / seen eps x t = exp (- (eps * (t - x))).
Proof. unfold seen; now rewrite exp_Ropp. Qed.

(** With [s = 1] the noisy value is increasing in [u], with [s = -1] it is decreasing. *)
Lemma noisy_plus u : 0 < u -> seen eps x (noisy eps x u 1) = u.
Proof.
  intros Hu; unfold seen, noisy; rewrite <- (exp_ln u Hu) at 2; f_equal; field; lra.
Qed.

Lemma noisy_minus u : 0 < u -> / seen eps x (noisy eps x u (-1)) = u.
Proof.
  intros Hu; rewrite inv_seen; unfold noisy; rewrite <- (exp_ln u Hu) at 2; f_equal; field; lra.
Qed.

Lemma seen_lt_inv v w : seen eps x v < seen eps x w -> v < w.
Proof. intros H; apply exp_lt_inv, Rmult_lt_reg_l in H; lra. Qed.

Lemma inv_seen_lt_inv v w : / seen eps x w < / seen eps x v -> v < w.
Proof. rewrite !inv_seen; intros H; apply exp_lt_inv, Ropp_lt_cancel, Rmult_lt_reg_l in H; lra. Qed.

(** A cell from [a] to [b]. *)
Lemma prob_cell (J : R -> Prop) a b :
  a <= b -> (forall w, a < w < b -> J w) -> (forall w, w < a \/ b < w -> ~ J w) ->
  event_prob (fun u s => J (noisy eps x u s)) (cell_mass (seen eps x a) (seen eps x b) / 2).
Proof.
  intros Hab Hin Hout.
  pose proof (seen_pos a); pose proof (seen_pos b); pose proof (seen_le a b Hab).
  assert (0 < / seen eps x b <= / seen eps x a).
  { split; [apply Rinv_0_lt_compat | apply Rinv_le_contravar]; lra. }
  exists (min1 (seen eps x b) - min1 (seen eps x a)), (min1 (/ seen eps x a) - min1 (/ seen eps x b)).
  split; [|split; [|unfold cell_mass; lra]]; apply has_length_interval; try lra; intros u Hu;
    pose proof (noisy_plus u (proj1 Hu)) as Eplus; pose proof (noisy_minus u (proj1 Hu)) as Eminus.
  - intros Ha; apply Hin; split; apply seen_lt_inv; lra.
  - intros Ha; apply Hout; destruct Ha; [left | right]; apply seen_lt_inv; lra.
  - intros Ha; apply Hin; split; apply inv_seen_lt_inv; lra.
  - intros Ha; apply Hout; destruct Ha; [right | left]; apply inv_seen_lt_inv; lra.
Qed.

(** Everything below [b]. *)
Lemma prob_lower (J : R -> Prop) b :
  (forall w, w < b -> J w) -> (forall w, b < w -> ~ J w) ->
  event_prob (fun u s => J (noisy eps x u s)) (lower_mass (seen eps x b) / 2).
Proof.
  intros Hin Hout.
  pose proof (seen_pos b).
  assert (0 < / seen eps x b) by (apply Rinv_0_lt_compat; lra).
  assert (E0 : Rmin 1 0 = 0) by (apply Rmin_right; lra).
  assert (E1 : Rmin 1 (Rmax 1 (/ seen eps x b)) = 1) by (apply Rmin_left, Rmax_l).
  exists (min1 (seen eps x b) - Rmin 1 0), (Rmin 1 (Rmax 1 (/ seen eps x b)) - min1 (/ seen eps x b)).
  split; [|split; [|unfold lower_mass; lra]]; apply has_length_interval;
    try (split; [lra | (apply Rmax_r || lra)]); intros u Hu;
    pose proof (noisy_plus u (proj1 Hu)) as Eplus; pose proof (noisy_minus u (proj1 Hu)) as Eminus.
  - intros Ha; apply Hin, seen_lt_inv; lra.
  - intros Ha; apply Hout, seen_lt_inv; lra.
  - intros Ha; apply Hin, inv_seen_lt_inv; lra.
  - pose proof (Rmax_l 1 (/ seen eps x b)).
    intros Ha; apply Hout, inv_seen_lt_inv; lra.
Qed.

(** Everything above [a]. *)
Lemma prob_upper (J : R -> Prop) a :
  (forall w, a < w -> J w) -> (forall w, w < a -> ~ J w) ->
  event_prob (fun u s => J (noisy eps x u s)) (upper_mass (seen eps x a) / 2).
Proof.
  intros Hin Hout.
  pose proof (seen_pos a).
  assert (0 < / seen eps x a) by (apply Rinv_0_lt_compat; lra).
  assert (E0 : Rmin 1 0 = 0) by (apply Rmin_right; lra).
  assert (E1 : Rmin 1 (Rmax 1 (seen eps x a)) = 1) by (apply Rmin_left, Rmax_l).
  exists (Rmin 1 (Rmax 1 (seen eps x a)) - min1 (seen eps x a)), (min1 (/ seen eps x a) - Rmin 1 0).
  split; [|split; [|unfold upper_mass; lra]]; apply has_length_interval;
    try (split; [lra | (apply Rmax_r || lra)]); intros u Hu;
    pose proof (noisy_plus u (proj1 Hu)) as Eplus; pose proof (noisy_minus u (proj1 Hu)) as Eminus.
  - intros Ha; apply Hin, seen_lt_inv; lra.
  - pose proof (Rmax_l 1 (seen eps x a)).
    intros Ha; apply Hout, seen_lt_inv; lra.
  - intros Ha; apply Hin, inv_seen_lt_inv; lra.
  - intros Ha; apply Hout, inv_seen_lt_inv; lra.
Qed.

End Noise.

(** * Intervals in general *)

Definition convex (J : R -> Prop) : Prop := forall a b c, a <= b <= c -> J a -> J c -> J b.

(** A set without gaps is everything, or has one end, or two; the empty set lies between 0 and 0. *)
Inductive shape (J : R -> Prop) : Prop :=
| shape_all : (forall w, J w) -> shape J
| shape_below b : (forall w, w < b -> J w) -> (forall w, b < w -> ~ J w) -> shape J
| shape_above a : (forall w, a < w -> J w) -> (forall w, w < a -> ~ J w) -> shape J
| shape_between a b :
    a <= b -> (forall w, a < w < b -> J w) -> (forall w, w < a \/ b < w -> ~ J w) -> shape J.

Lemma upper_end (J : R -> Prop) w0 :
  J w0 ->
  (forall w, exists v, w < v /\ J v) \/
  (exists b, (forall w, J w -> w <= b) /\ (forall w, w < b -> exists v, w < v /\ J v)).
Proof.
  intros H0; destruct (classic (bound J)) as [Hb|Hb].
  - right; destruct (completeness J Hb (ex_intro _ w0 H0)) as [b [Hub Hlub]].
    exists b; split; [exact Hub |].
    intros w Hw; apply NNPP; intros Hno; apply (Rlt_not_le _ _ Hw), Hlub.
    intros v Hv; apply Rnot_lt_le; intros Hlt; apply Hno; now exists v.
  - left; intros w; apply NNPP; intros Hno; apply Hb; exists w.
    intros v Hv; apply Rnot_lt_le; intros Hlt; apply Hno; now exists v.
Qed.

Lemma lower_end (J : R -> Prop) w0 :
  J w0 ->
  (forall w, exists v, v < w /\ J v) \/
  (exists a, (forall w, J w -> a <= w) /\ (forall w, a < w -> exists v, v < w /\ J v)).
Proof.
  intros H0; rewrite <- (Ropp_involutive w0) in H0.
  destruct (upper_end (fun w => J (- w)) (- w0) H0) as [H | (b & Hb & Hlub)].
  - left; intros w; destruct (H (- w)) as (v & Hv & HJ); exists (- v); split; [lra | exact HJ].
  - right; exists (- b); split.
    + intros w Hw; rewrite <- (Ropp_involutive w) in Hw; apply Hb in Hw; lra.
    + intros w Hw; destruct (Hlub (- w)) as (v & Hv & HJ); [lra |].
      exists (- v); split; [lra | exact HJ].
Qed.

Lemma convex_shape J : convex J -> shape J.
Proof.
  intros Hconv; destruct (classic (exists w0, J w0)) as [[w0 H0] | Hempty].
  2: { apply (shape_between J 0 0); [lra | intros; lra |]. intros w _ Hw; apply Hempty; now exists w. }
  assert (Hmid : forall v w v', v < w -> w < v' -> J v -> J v' -> J w).
  { intros v w v' H H'; apply Hconv; lra. }
  destruct (lower_end J w0 H0) as [Hl | (a & Ha & Hl)], (upper_end J w0 H0) as [Hu | (b & Hb & Hu)].
  - apply shape_all; intros w.
    destruct (Hl w) as (v & Hv & HJ), (Hu w) as (v' & Hv' & HJ'); eauto.
  - apply (shape_below J b).
    + intros w Hw; destruct (Hl w) as (v & Hv & HJ), (Hu w Hw) as (v' & Hv' & HJ'); eauto.
    + intros w Hw HJ; apply Hb in HJ; lra.
  - apply (shape_above J a).
    + intros w Hw; destruct (Hl w Hw) as (v & Hv & HJ), (Hu w) as (v' & Hv' & HJ'); eauto.
    + intros w Hw HJ; apply Ha in HJ; lra.
  - apply (shape_between J a b).
    + apply Rle_trans with w0; auto.
    + intros w Hw; destruct (Hl w) as (v & Hv & HJ), (Hu w) as (v' & Hv' & HJ'); try lra; eauto.
    + intros w [Hw|Hw] HJ; [apply Ha in HJ | apply Hb in HJ]; lra.
Qed.

(** * Privacy *)

(** Laplace noise is private: no interval of noisy values is more than [exp (eps * Delta)] times as likely
    under one input as under another at a distance of at most [Delta]. *)
Theorem interval_private eps Delta x1 x2 J :
  0 < eps -> Rabs (x1 - x2) <= Delta -> convex J ->
  exists p1 p2,
    event_prob (fun u s => J (noisy eps x1 u s)) p1 /\
    event_prob (fun u s => J (noisy eps x2 u s)) p2 /\
    p1 <= exp (eps * Delta) * p2.
Proof.
  intros He Hd HJ.
  set (E := exp (eps * Delta)); set (k := exp (eps * (x1 - x2))).
  assert (HDelta : 0 <= Delta) by (pose proof (Rabs_pos (x1 - x2)); lra).
  assert (HE : 1 <= E).
  { unfold E; rewrite <- exp_0; apply Raux.exp_le, Rmult_le_pos; lra. }
  assert (Hk : / E <= k <= E).
  { unfold E, k; rewrite <- exp_Ropp, Ropp_mult_distr_r; apply Raux.Rabs_le_inv in Hd.
    split; apply Raux.exp_le, Rmult_le_compat_l; lra. }
  assert (Hseen : forall t, seen eps x2 t = k * seen eps x1 t).
  { intros t; unfold seen, k; rewrite <- exp_plus; f_equal; ring. }
  destruct (convex_shape J HJ) as [Hall | b Hin Hout | a Hin Hout | a b Hab Hin Hout].
  - exists 1, 1; split; [|split]; [apply event_prob_full; auto .. | lra].
  - exists (lower_mass (seen eps x1 b) / 2), (lower_mass (seen eps x2 b) / 2).
    split; [|split]; [now apply prob_lower .. |].
    rewrite Hseen; pose proof (lower_inequality _ k E (seen_pos eps x1 b) Hk HE); lra.
  - exists (upper_mass (seen eps x1 a) / 2), (upper_mass (seen eps x2 a) / 2).
    split; [|split]; [now apply prob_upper .. |].
    rewrite Hseen; pose proof (upper_inequality _ k E (seen_pos eps x1 a) Hk HE); lra.
  - exists (cell_mass (seen eps x1 a) (seen eps x1 b) / 2), (cell_mass (seen eps x2 a) (seen eps x2 b) / 2).
    split; [|split]; [now apply prob_cell .. |].
    rewrite !Hseen.
    pose proof (event_inequality _ _ k E (conj (seen_pos eps x1 a) (seen_le eps x1 He a b Hab)) Hk HE); lra.
Qed.

Definition monotone (g : R -> R) : Prop := forall v w, v <= w -> g v <= g w.

(** So is whatever a monotone function makes of the noisy value: rounding to any grid, in any monotone way,
    then clamping.  [O] is an interval of outputs, for instance a single one. *)
Theorem monotone_private eps Delta x1 x2 g O :
  0 < eps -> Rabs (x1 - x2) <= Delta -> monotone g -> convex O ->
  exists p1 p2,
    event_prob (fun u s => O (g (noisy eps x1 u s))) p1 /\
    event_prob (fun u s => O (g (noisy eps x2 u s))) p2 /\
    p1 <= exp (eps * Delta) * p2.
Proof.
  intros He Hd Hg HO; apply (interval_private eps Delta x1 x2 (fun w => O (g w))); try assumption.
  intros a b c Habc; apply HO; split; apply Hg; lra.
Qed.

Lemma convex_point e : convex (fun r => r = e).
Proof. intros a b c H -> ->; lra. Qed.

Lemma clamp_monotone B : monotone (clamp B).
Proof. intros v w H; unfold clamp; apply Rle_max_compat_l, Rle_min_compat_l, H. Qed.

Lemma round_half_up_monotone L : 0 < L -> monotone (round_half_up L).
Proof.
  intros HL v w H; unfold round_half_up, cell_of; apply Rmult_le_compat_l; [lra |].
  apply IZR_le, Zfloor_le, Rplus_le_compat_r, Rmult_le_compat_r; [|exact H].
  left; apply Rinv_0_lt_compat, HL.
Qed.

(** The ideal snapping mechanism is [eps * Delta]-private: an output is at most [exp (eps * Delta)] times as
    likely under one input as under another at a distance of at most [Delta]. *)
Theorem snap_private eps L B Delta x1 x2 :
  0 < eps -> 0 < L -> 0 < B -> Rabs (x1 - x2) <= Delta ->
  forall e, exists p1 p2,
    has_prob (snap eps L B x1) e p1 /\ has_prob (snap eps L B x2) e p2 /\ p1 <= exp (eps * Delta) * p2.
Proof.
  intros He HL HB Hd e.
  apply (monotone_private eps Delta x1 x2 (fun w => clamp B (round_half_up L w)) (fun r => r = e));
    [exact He | exact Hd | | apply convex_point].
  intros v w H; apply clamp_monotone, round_half_up_monotone; assumption.
Qed.

(** Several different outputs: the sum of their probabilities. *)
Fixpoint set_prob {T : Type} (M : R -> R -> T) (es : list T) (p : R) : Prop :=
  match es with
  | nil => p = 0
  | e :: es' => exists q q', has_prob M e q /\ set_prob M es' q' /\ p = q + q'
  end.

(** And so for every set of outputs.  There are finitely many of them, see IdealCases.v, so a list is
    enough. *)
Theorem snap_private_set eps L B Delta x1 x2 :
  0 < eps -> 0 < L -> 0 < B -> Rabs (x1 - x2) <= Delta ->
  forall es, exists p1 p2,
    set_prob (snap eps L B x1) es p1 /\ set_prob (snap eps L B x2) es p2 /\ p1 <= exp (eps * Delta) * p2.
Proof.
  intros He HL HB Hd; induction es as [|e es (p1 & p2 & H1 & H2 & Hle)].
  - exists 0, 0; cbn; repeat split; lra.
  - destruct (snap_private eps L B Delta x1 x2 He HL HB Hd e) as (q1 & q2 & Hq1 & Hq2 & Hqle).
    exists (q1 + p1), (q2 + p2); split; [|split; [|lra]]; [exists q1, p1 | exists q2, p2]; auto.
Qed.

(** Inputs may be clamped first. *)
Theorem snap_clamped_private eps L B Delta x1 x2 :
  0 < eps -> 0 < L -> 0 < B -> Rabs (x1 - x2) <= Delta ->
  forall e, exists p1 p2,
    has_prob (snap eps L B (clamp B x1)) e p1 /\ has_prob (snap eps L B (clamp B x2)) e p2 /\
    p1 <= exp (eps * Delta) * p2.
Proof.
  intros He HL HB Hd; apply snap_private; try assumption.
  pose proof (clamp_contracts B x1 x2); lra.
Qed.

(** The same with ties to even, the rounding of the hardware. *)
Theorem snap_half_even_private eps L B Delta x1 x2 :
  0 < eps -> 0 < L -> 0 < B -> Rabs (x1 - x2) <= Delta ->
  forall e, exists p1 p2,
    has_prob (fun u s => clamp B (round_half_even L (noisy eps x1 u s))) e p1 /\
    has_prob (fun u s => clamp B (round_half_even L (noisy eps x2 u s))) e p2 /\
    p1 <= exp (eps * Delta) * p2.
Proof.
  intros He HL HB Hd e.
  apply (monotone_private eps Delta x1 x2 (fun w => clamp B (round_half_even L w)) (fun r => r = e));
    [exact He | exact Hd | | apply convex_point].
  intros v w H; apply clamp_monotone; unfold round_half_even; apply Rmult_le_compat_l; [lra |].
  apply IZR_le, Zrnd_le; [apply valid_rnd_N |].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, HL | exact H].
Qed.
