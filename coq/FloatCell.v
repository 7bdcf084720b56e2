(** The error of one output.

    A mechanism adds noise with scale 1 to [x] and asks between which two thresholds the sum lies. With
    exact Laplace noise the sum is below [g] with probability [laplace_cdf (g - x)]. Here the probabilities
    err: on the thin side of [x], at distance [m], the probability is [exp (-m) / 2 * (1 + k)] with
    [- km m <= k <= kp m], for some nondecreasing [kp] and [km].

    What the error of two thresholds is to the output between them depends on where [x] is. If it is
    outside, the nearer threshold dominates: [one_up], [one_down]. If it is inside, what errs are the tails:
    [own_up], [own_down]. Outputs at the two ends have only one threshold. Without errors the ratio for two
    inputs is at most [exp (Rabs (x - x'))], whatever the thresholds; [cell_loss] and [end_loss] put the
    parts together. *)

From Coq Require Import Reals Lra.
From Flocq Require Import Core.Raux.
Open Scope R_scope.

Lemma exp_le_1 a : a <= 0 -> exp a <= 1.
Proof. intros H; rewrite <- exp_0; now apply exp_le. Qed.

Lemma exp_lt_1 a : a < 0 -> exp a < 1.
Proof. intros H; rewrite <- exp_0; now apply exp_increasing. Qed.

(** * Without errors *)

(** The Laplace distribution with scale 1: the probability of being below [t]. *)
Definition laplace_cdf (t : R) : R := if Rle_dec t 0 then exp t / 2 else 1 - exp (- t) / 2.

Lemma laplace_cdf_neg t : t <= 0 -> laplace_cdf t = exp t / 2.
Proof. unfold laplace_cdf; destruct (Rle_dec t 0); [reflexivity | lra]. Qed.

Lemma laplace_cdf_pos t : 0 <= t -> laplace_cdf t = 1 - exp (- t) / 2.
Proof.
  unfold laplace_cdf; destruct (Rle_dec t 0) as [H|H]; [| reflexivity].
  intros H'; replace t with 0 by lra; rewrite Ropp_0, exp_0; lra.
Qed.

Lemma laplace_cdf_opp t : laplace_cdf (- t) = 1 - laplace_cdf t.
Proof.
  destruct (Rle_or_lt t 0).
  - rewrite (laplace_cdf_neg t), (laplace_cdf_pos (- t)), Ropp_involutive by lra; lra.
  - rewrite (laplace_cdf_pos t), (laplace_cdf_neg (- t)) by lra; lra.
Qed.

Lemma laplace_cdf_le s t : s <= t -> laplace_cdf s <= laplace_cdf t.
Proof.
  intros H; destruct (Rle_or_lt t 0), (Rle_or_lt s 0); try lra.
  - rewrite !laplace_cdf_neg by lra; pose proof (exp_le s t H); lra.
  - rewrite (laplace_cdf_pos t), (laplace_cdf_neg s) by lra.
    pose proof (exp_le_1 s); pose proof (exp_le_1 (- t)); lra.
  - rewrite !laplace_cdf_pos by lra; pose proof (exp_le (- t) (- s)); lra.
Qed.

Lemma laplace_cdf_0_1 t : 0 < laplace_cdf t < 1.
Proof.
  destruct (Rle_or_lt t 0).
  - rewrite laplace_cdf_neg by lra; pose proof (exp_pos t); pose proof (exp_le_1 t); lra.
  - rewrite laplace_cdf_pos by lra; pose proof (exp_pos (- t)); pose proof (exp_lt_1 (- t)); lra.
Qed.

(** [exp d * laplace_cdf (t - d) - laplace_cdf t] grows with [t]: its derivative is a difference of densities,
    which are at most a factor [exp d] apart.  It is 0 for [t <= 0], [cosh t - 1] up to [d], and
    [exp d - 1 - exp (- t) * (exp (2 * d) - 1) / 2] beyond. *)
Lemma laplace_shift_le d s t :
  0 <= d -> s <= t ->
  exp d * laplace_cdf (s - d) - laplace_cdf s <= exp d * laplace_cdf (t - d) - laplace_cdf t.
Proof.
  intros Hd; revert s t.
  set (phi := fun t => exp d * laplace_cdf (t - d) - laplace_cdf t).
  assert (L : forall t, t <= 0 -> phi t = 0).
  { intros t Ht; unfold phi; rewrite !laplace_cdf_neg by lra.
    replace (exp t) with (exp d * exp (t - d)) by (rewrite <- exp_plus; f_equal; ring); lra. }
  assert (M : forall t, 0 <= t <= d -> phi t = (exp t + exp (- t)) / 2 - 1).
  { intros t Ht; unfold phi; rewrite laplace_cdf_neg, laplace_cdf_pos by lra.
    replace (exp t) with (exp d * exp (t - d)) by (rewrite <- exp_plus; f_equal; ring); lra. }
  assert (H : forall t, d <= t -> phi t = exp d - 1 - exp (- t) * (exp d * exp d - 1) / 2).
  { intros t Ht; unfold phi; rewrite !laplace_cdf_pos by lra.
    replace (exp (- (t - d))) with (exp d * exp (- t)) by (rewrite <- exp_plus; f_equal; ring); field. }
  assert (ML : forall s t, 0 <= s -> s <= t -> t <= d -> phi s <= phi t).
  { intros s t Hs Hst Ht; rewrite !M by lra.
    pose proof (exp_pos s); pose proof (exp_pos t); pose proof (exp_le s t Hst).
    rewrite !exp_Ropp.
    assert (/ exp s - / exp t <= exp t - exp s); [| lra].
    replace (/ exp s - / exp t) with ((exp t - exp s) * / (exp s * exp t)) by (field; lra).
    rewrite <- (Rmult_1_r (exp t - exp s)) at 2; apply Rmult_le_compat_l; [lra |].
    rewrite <- Rinv_1; apply Rinv_le; [lra |]; rewrite <- exp_plus, <- exp_0; apply exp_le; lra. }
  assert (HL : forall s t, d <= s -> s <= t -> phi s <= phi t).
  { intros s t Hs Hst; rewrite !H by lra.
    assert (1 <= exp d) by (rewrite <- exp_0; apply exp_le; lra).
    assert (0 <= exp d * exp d - 1) by nra.
    pose proof (exp_le (- t) (- s)); nra. }
  assert (P : forall t, 0 <= phi t).
  { intros t; destruct (Rle_or_lt t 0); [rewrite L; lra |].
    rewrite <- (L 0) by lra; destruct (Rle_or_lt t d); [apply ML; lra |].
    apply Rle_trans with (phi d); [apply ML | apply HL]; lra. }
  intros s t Hst; fold (phi s) (phi t).
  destruct (Rle_or_lt s 0); [rewrite (L s) by lra; apply P |].
  destruct (Rle_or_lt t d); [apply ML; lra |].
  destruct (Rle_or_lt d s); [apply HL; lra |].
  apply Rle_trans with (phi d); [apply ML | apply HL]; lra.
Qed.

(** Exact Laplace noise on any grid: an output between the thresholds [a] and [b]. *)
Lemma laplace_between a b x x' :
  a <= b ->
  laplace_cdf (b - x) - laplace_cdf (a - x)
  <= exp (Rabs (x - x')) * (laplace_cdf (b - x') - laplace_cdf (a - x')).
Proof.
  intros Hab; destruct (Rle_or_lt x x') as [H|H].
  - rewrite Rabs_left1 by lra.
    pose proof (laplace_shift_le (x' - x) (a - x) (b - x)) as S.
    replace (a - x - (x' - x)) with (a - x') in S by ring.
    replace (b - x - (x' - x)) with (b - x') in S by ring.
    replace (- (x - x')) with (x' - x) by ring; lra.
  - rewrite Rabs_right by lra.
    pose proof (laplace_shift_le (x - x') (x - b) (x - a)) as S.
    replace (x - a - (x - x')) with (- (a - x')) in S by ring.
    replace (x - b - (x - x')) with (- (b - x')) in S by ring.
    replace (x - a) with (- (a - x)) in S by ring; replace (x - b) with (- (b - x)) in S by ring.
    rewrite !laplace_cdf_opp in S; lra.
Qed.

(** The same for the outputs below a threshold, and above. *)
Lemma laplace_below a x x' :
  laplace_cdf (a - x) <= exp (Rabs (x - x')) * laplace_cdf (a - x').
Proof.
  set (d := Rabs (x - x')); assert (Hd : 0 <= d) by apply Rabs_pos.
  apply Rle_trans with (exp d * laplace_cdf (a - x - d)).
  - pose proof (laplace_shift_le d (Rmin 0 (a - x)) (a - x) Hd (Rmin_r _ _)) as S.
    rewrite (laplace_cdf_neg (Rmin 0 (a - x))) in S by apply Rmin_l.
    rewrite (laplace_cdf_neg (Rmin 0 (a - x) - d)) in S by (pose proof (Rmin_l 0 (a - x)); lra).
    replace (exp (Rmin 0 (a - x))) with (exp d * exp (Rmin 0 (a - x) - d)) in S
      by (rewrite <- exp_plus; f_equal; ring); lra.
  - apply Rmult_le_compat_l; [left; apply exp_pos |]; apply laplace_cdf_le.
    unfold d, Rabs; destruct (Rcase_abs (x - x')); lra.
Qed.

(** * With errors *)

(** [p] is [i] up to a relative error of at most [up] upward and [down] downward. *)
Definition within (up down i p : R) : Prop := (1 - down) * i <= p <= (1 + up) * i.

(** Two inputs: relative errors multiply the ratio of the ideal probabilities. *)
Lemma within_ratio up down up' down' i i' p p' E X :
  within up down i p -> within up' down' i' p' -> 0 <= up -> 0 <= i' -> 0 <= E -> 0 <= X ->
  i <= E * i' -> 1 + up <= X * (1 - down') -> p <= E * X * p'.
Proof.
  intros [_ Hp] [Hp' _] Hup Hi' HE HX Hi H.
  apply Rle_trans with ((1 + up) * (E * i')).
  { eapply Rle_trans; [exact Hp |]; apply Rmult_le_compat_l; [lra | exact Hi]. }
  apply Rle_trans with (X * (1 - down') * (E * i')).
  { apply Rmult_le_compat_r; [now apply Rmult_le_pos | exact H]. }
  replace (X * (1 - down') * (E * i')) with (E * X * ((1 - down') * i')) by ring.
  apply Rmult_le_compat_l; [now apply Rmult_le_pos | exact Hp'].
Qed.

Section Errors.

Variables kp km : R -> R.
Hypothesis kp_le : forall m m', m <= m' -> kp m <= kp m'.
Hypothesis km_le : forall m m', m <= m' -> km m <= km m'.
Hypothesis kp_pos : forall m, 0 <= m -> 0 <= kp m.
Hypothesis km_pos : forall m, 0 <= m -> 0 <= km m.

(** [p], the probability of being below a threshold at [t], seen from the input. What is exact up to a
    relative error is the probability of the thin side. *)
Definition near_cdf (t p : R) : Prop :=
  (t < 0 -> within (kp (- t)) (km (- t)) (exp t) (2 * p)) /\
  (0 < t -> within (kp t) (km t) (exp (- t)) (2 * (1 - p))).

Lemma near_cdf_opp t p : near_cdf t p -> near_cdf (- t) (1 - p).
Proof.
  intros [H1 H2]; split; intros H.
  - rewrite Ropp_involutive; apply H2; lra.
  - replace (1 - (1 - p)) with p by ring; rewrite Ropp_involutive; apply H1; lra.
Qed.

(** An output on one side of the input, its width at least [l], its farther threshold at most [far] away. *)
Definition one_up (l far : R) : R := (kp (far - l) + exp (- l) * km far) / (1 - exp (- l)).
Definition one_down (l far : R) : R := (km (far - l) + exp (- l) * kp far) / (1 - exp (- l)).
(** The output around the input, its width at least [l], its thresholds at most [far] away. *)
Definition own_up (l far : R) : R := km far * ((1 + exp (- l)) / (1 - exp (- l))).
Definition own_down (l far : R) : R := kp far * ((1 + exp (- l)) / (1 - exp (- l))).

(** [(a + w * b) / (1 - w)] grows with [w]. *)
Lemma one_sided_fraction a b w r :
  0 <= a -> 0 <= b -> 0 <= w <= r -> r < 1 -> a + w * b <= (a + r * b) / (1 - r) * (1 - w).
Proof.
  intros Ha Hb Hw Hr.
  replace ((a + r * b) / (1 - r) * (1 - w)) with ((a + r * b) * (1 - w) / (1 - r)) by (field; lra).
  apply Rmult_le_reg_r with (1 - r); [lra |].
  replace ((a + r * b) * (1 - w) / (1 - r) * (1 - r)) with ((a + r * b) * (1 - w)) by (field; lra).
  assert (0 <= (a + b) * (r - w)) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma within_below l far t1 t2 p1 p2 :
  0 < l -> l <= t2 - t1 -> t2 < 0 -> - t1 <= far -> near_cdf t1 p1 -> near_cdf t2 p2 ->
  within (one_up l far) (one_down l far) (laplace_cdf t2 - laplace_cdf t1) (p2 - p1).
Proof.
  intros Hl Hw H2 Hfar [N1 _] [N2 _].
  destruct (N1 ltac:(lra)) as [L1 U1]; destruct (N2 H2) as [L2 U2]; clear N1 N2.
  rewrite !laplace_cdf_neg by lra.
  set (w := exp (t1 - t2)).
  assert (Ew : exp t1 = exp t2 * w) by (unfold w; rewrite <- exp_plus; f_equal; ring).
  assert (Hw0 : 0 <= w <= exp (- l)) by (split; [left; apply exp_pos | apply exp_le; lra]).
  assert (Hr : exp (- l) < 1) by (apply exp_lt_1; lra).
  rewrite Ew in *; pose proof (exp_pos t2) as He.
  assert (P2 : kp (- t2) <= kp (far - l)) by (apply kp_le; lra).
  assert (M2 : km (- t2) <= km (far - l)) by (apply km_le; lra).
  assert (P1 : kp (- t1) <= kp far) by (apply kp_le; lra).
  assert (M1 : km (- t1) <= km far) by (apply km_le; lra).
  pose proof (kp_pos (- t2)); pose proof (km_pos (- t2)).
  pose proof (kp_pos (- t1)); pose proof (km_pos (- t1)).
  assert (FU := one_sided_fraction (kp (far - l)) (km far) w (exp (- l))).
  assert (FD := one_sided_fraction (km (far - l)) (kp far) w (exp (- l))).
  fold (one_up l far) in FU; fold (one_down l far) in FD.
  assert (WU : w * km (- t1) <= w * km far) by (apply Rmult_le_compat_l; lra).
  assert (WD : w * kp (- t1) <= w * kp far) by (apply Rmult_le_compat_l; lra).
  split.
  - apply Rle_trans with (exp t2 / 2 * ((1 - w) - (km (far - l) + w * kp far))).
    + replace ((1 - one_down l far) * (exp t2 / 2 - exp t2 * w / 2))
        with (exp t2 / 2 * ((1 - w) - one_down l far * (1 - w))) by field.
      apply Rmult_le_compat_l; lra.
    + assert (exp t2 * (km (- t2) + w * kp (- t1)) <= exp t2 * (km (far - l) + w * kp far))
        by (apply Rmult_le_compat_l; lra); lra.
  - apply Rle_trans with (exp t2 / 2 * ((1 - w) + (kp (far - l) + w * km far))).
    + assert (exp t2 * (kp (- t2) + w * km (- t1)) <= exp t2 * (kp (far - l) + w * km far))
        by (apply Rmult_le_compat_l; lra); lra.
    + replace ((1 + one_up l far) * (exp t2 / 2 - exp t2 * w / 2))
        with (exp t2 / 2 * ((1 - w) + one_up l far * (1 - w))) by field.
      apply Rmult_le_compat_l; lra.
Qed.

Lemma within_above l far t1 t2 p1 p2 :
  0 < l -> l <= t2 - t1 -> 0 < t1 -> t2 <= far -> near_cdf t1 p1 -> near_cdf t2 p2 ->
  within (one_up l far) (one_down l far) (laplace_cdf t2 - laplace_cdf t1) (p2 - p1).
Proof.
  intros Hl Hw H1 Hfar N1 N2.
  pose proof (within_below l far (- t2) (- t1) (1 - p2) (1 - p1)) as W.
  rewrite !laplace_cdf_opp in W.
  replace (laplace_cdf t2 - laplace_cdf t1) with (1 - laplace_cdf t1 - (1 - laplace_cdf t2)) by ring.
  replace (p2 - p1) with (1 - p1 - (1 - p2)) by ring.
  apply W; try lra; now apply near_cdf_opp.
Qed.

Lemma within_around l far t1 t2 p1 p2 :
  0 < l -> l <= t2 - t1 -> t1 < 0 < t2 -> - t1 <= far -> t2 <= far -> near_cdf t1 p1 -> near_cdf t2 p2 ->
  within (own_up l far) (own_down l far) (laplace_cdf t2 - laplace_cdf t1) (p2 - p1).
Proof.
  intros Hl Hw [H1 H2] F1 F2 [N1 _] [_ N2].
  destruct (N1 H1) as [L1 U1]; destruct (N2 H2) as [L2 U2]; clear N1 N2.
  rewrite laplace_cdf_pos, (laplace_cdf_neg t1) by lra.
  set (p := exp t1) in *; set (q := exp (- t2)) in *; set (r := exp (- l)).
  assert (Hp : 0 < p < 1) by (split; [apply exp_pos | apply exp_lt_1; lra]).
  assert (Hq : 0 < q < 1) by (split; [apply exp_pos | apply exp_lt_1; lra]).
  assert (Hr : 0 < r < 1) by (split; [apply exp_pos | apply exp_lt_1; lra]).
  assert (Hpq : p * q <= r) by (unfold p, q, r; rewrite <- exp_plus; apply exp_le; lra).
  assert (Hs : p + q <= 1 + r) by (assert (0 < (1 - p) * (1 - q)) by (apply Rmult_lt_0_compat; lra); lra).
  assert (C : (p + q) / 2 <= (1 + r) / (1 - r) * (1 - (p + q) / 2)).
  { apply Rmult_le_reg_r with (1 - r); [lra |].
    replace ((1 + r) / (1 - r) * (1 - (p + q) / 2) * (1 - r)) with ((1 + r) * (1 - (p + q) / 2))
      by (field; lra).
    lra. }
  assert (Bd : forall k, 0 <= k -> k * ((p + q) / 2) <= k * ((1 + r) / (1 - r)) * (1 - (p + q) / 2)).
  { intros k Hk; rewrite Rmult_assoc; now apply Rmult_le_compat_l. }
  assert (kp (- t1) <= kp far) by (apply kp_le; lra).
  assert (km (- t1) <= km far) by (apply km_le; lra).
  assert (kp t2 <= kp far) by (apply kp_le; lra).
  assert (km t2 <= km far) by (apply km_le; lra).
  assert (p * kp (- t1) <= p * kp far) by (apply Rmult_le_compat_l; lra).
  assert (p * km (- t1) <= p * km far) by (apply Rmult_le_compat_l; lra).
  assert (q * kp t2 <= q * kp far) by (apply Rmult_le_compat_l; lra).
  assert (q * km t2 <= q * km far) by (apply Rmult_le_compat_l; lra).
  pose proof (Bd (kp far) (kp_pos far ltac:(lra))) as BP.
  pose proof (Bd (km far) (km_pos far ltac:(lra))) as BM.
  fold r in BP, BM; unfold within, own_up, own_down; fold r.
  set (P := kp far * ((1 + r) / (1 - r))) in *; set (M := km far * ((1 + r) / (1 - r))) in *.
  split; lra.
Qed.

(** * The loss of an output *)

(** [X] covers the errors of an output for two inputs that are both outside of it, both inside, or one of
    each. [D] bounds all distances of inputs and thresholds, [W] those of an input from the thresholds of
    its own output, and [Dn] those of the other input from the same thresholds. *)
Definition cell_factor (l D W Dn X : R) : Prop :=
  1 + one_up l D <= X * (1 - one_down l D) /\
  1 + own_up l W <= X * (1 - own_down l W) /\
  1 + own_up l W <= X * (1 - one_down l Dn) /\
  1 + one_up l Dn <= X * (1 - own_down l W).

(** [X] covers the errors of what is beyond one threshold: [far] bounds the distances of the inputs on the
    other side, [near] of those on the same side, where what errs is the complement, at most one half of the
    whole. *)
Definition end_factor (far near X : R) : Prop :=
  1 + kp far <= X * (1 - km far) /\
  1 + kp far <= X * (1 - kp near) /\
  1 + km near <= X * (1 - km far) /\
  1 + km near <= X * (1 - kp near).

(** An output between thresholds [g1] and [g2], for inputs [x] and [x'] that are not thresholds. *)
Theorem cell_loss l D W Dn X x x' g1 g2 p1 p2 p1' p2' :
  0 < l -> l <= g2 - g1 ->
  near_cdf (g1 - x) p1 -> near_cdf (g2 - x) p2 -> near_cdf (g1 - x') p1' -> near_cdf (g2 - x') p2' ->
  x <> g1 -> x <> g2 -> x' <> g1 -> x' <> g2 ->
  Rabs (g1 - x) <= D -> Rabs (g2 - x) <= D -> Rabs (g1 - x') <= D -> Rabs (g2 - x') <= D ->
  D <= W \/ g2 - g1 <= W -> D <= Dn \/ g2 - g1 + Rabs (x - x') <= Dn ->
  0 <= X -> cell_factor l D W Dn X ->
  p2 - p1 <= exp (Rabs (x - x')) * X * (p2' - p1').
Proof.
  intros Hl Hw N1 N2 N1' N2' X1 X2 X1' X2' D1 D2 D1' D2' HW HDn HX (C1 & C2 & C3 & C4).
  assert (Hr : 0 < 1 - exp (- l)) by (pose proof (exp_lt_1 (- l)); lra).
  pose proof (exp_pos (- l)) as Hr0.
  assert (UP : forall far, l <= far -> 0 <= one_up l far).
  { intros far Hf; apply Rmult_le_pos; [| left; now apply Rinv_0_lt_compat].
    pose proof (kp_pos (far - l)); pose proof (km_pos far); apply Rplus_le_le_0_compat; [lra |].
    apply Rmult_le_pos; lra. }
  assert (OP : forall far, 0 <= far -> 0 <= own_up l far).
  { intros far Hf; apply Rmult_le_pos; [now apply km_pos |].
    apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]. }
  assert (I : laplace_cdf (g2 - x) - laplace_cdf (g1 - x)
              <= exp (Rabs (x - x')) * (laplace_cdf (g2 - x') - laplace_cdf (g1 - x')))
    by (apply laplace_between; lra).
  assert (I0 : 0 <= laplace_cdf (g2 - x') - laplace_cdf (g1 - x'))
    by (pose proof (laplace_cdf_le (g1 - x') (g2 - x')); lra).
  assert (E0 : 0 <= exp (Rabs (x - x'))) by (left; apply exp_pos).
  assert (D1x := Rabs_le_inv _ _ D1); assert (D2x := Rabs_le_inv _ _ D2).
  assert (D1y := Rabs_le_inv _ _ D1'); assert (D2y := Rabs_le_inv _ _ D2').
  assert (Dx := Rabs_le_inv _ _ (Rle_refl (Rabs (x - x')))).
  assert (OUT : forall y p1 p2 far, near_cdf (g1 - y) p1 -> near_cdf (g2 - y) p2 ->
    (y < g1 /\ g2 - y <= far) \/ (g2 < y /\ y - g1 <= far) ->
    within (one_up l far) (one_down l far) (laplace_cdf (g2 - y) - laplace_cdf (g1 - y)) (p2 - p1) /\
    l <= far).
  { intros y q1 q2 far M1 M2 [[A B]|[A B]]; split; try lra;
      [apply within_above | apply within_below]; try assumption; lra. }
  assert (IN : forall y p1 p2, near_cdf (g1 - y) p1 -> near_cdf (g2 - y) p2 ->
    Rabs (g1 - y) <= D -> Rabs (g2 - y) <= D -> g1 < y < g2 ->
    within (own_up l W) (own_down l W) (laplace_cdf (g2 - y) - laplace_cdf (g1 - y)) (p2 - p1) /\ 0 <= W).
  { intros y q1 q2 M1 M2 B1 B2 A; apply Rabs_le_inv in B1, B2.
    split; [apply within_around; try assumption; destruct HW; lra | destruct HW; lra]. }
  assert (Cx : (x < g1 \/ g2 < x) \/ g1 < x < g2)
    by (destruct (Rtotal_order x g1) as [?|[?|?]], (Rtotal_order x g2) as [?|[?|?]]; try lra; tauto).
  assert (Cx' : (x' < g1 \/ g2 < x') \/ g1 < x' < g2)
    by (destruct (Rtotal_order x' g1) as [?|[?|?]], (Rtotal_order x' g2) as [?|[?|?]]; try lra; tauto).
  destruct Cx as [Cx|Cx], Cx' as [Cx'|Cx'].
  - destruct (OUT x p1 p2 D N1 N2) as [Wx Lx]; [destruct Cx; [left | right]; lra |].
    destruct (OUT x' p1' p2' D N1' N2') as [Wx' _]; [destruct Cx'; [left | right]; lra |].
    eapply within_ratio; eauto.
  - destruct (OUT x p1 p2 Dn N1 N2) as [Wx Lx]; [destruct Cx, HDn; [left | left | right | right]; lra |].
    destruct (IN x' p1' p2' N1' N2' D1' D2' Cx') as [Wx' _].
    eapply within_ratio; eauto.
  - destruct (IN x p1 p2 N1 N2 D1 D2 Cx) as [Wx Lx].
    destruct (OUT x' p1' p2' Dn N1' N2') as [Wx' _];
      [destruct Cx', HDn; [left | left | right | right]; lra |].
    eapply within_ratio; eauto.
  - destruct (IN x p1 p2 N1 N2 D1 D2 Cx) as [Wx Lx].
    destruct (IN x' p1' p2' N1' N2' D1' D2' Cx') as [Wx' _].
    eapply within_ratio; eauto.
Qed.

(** The output below a threshold [g]. *)
Theorem end_loss far near X x x' g p p' :
  near_cdf (g - x) p -> near_cdf (g - x') p' -> x <> g -> x' <> g ->
  x - g <= far -> g - x <= near -> x' - g <= far -> g - x' <= near -> 0 <= X ->
  end_factor far near X ->
  p <= exp (Rabs (x - x')) * X * p'.
Proof.
  intros N N' Hx Hx' F F' G G' HX (C1 & C2 & C3 & C4).
  assert (I := laplace_below g x x').
  assert (I0 : 0 <= laplace_cdf (g - x')) by (pose proof (laplace_cdf_0_1 (g - x')); lra).
  assert (E0 : 0 <= exp (Rabs (x - x'))) by (left; apply exp_pos).
  assert (A : forall y p, near_cdf (g - y) p -> g < y -> y - g <= far ->
    within (kp far) (km far) (laplace_cdf (g - y)) p /\ 0 <= kp far).
  { intros y q [M _] H1 H2; destruct (M ltac:(lra)) as [L U]; rewrite laplace_cdf_neg by lra.
    pose proof (exp_pos (g - y)).
    assert (kp (- (g - y)) <= kp far) by (apply kp_le; lra).
    assert (km (- (g - y)) <= km far) by (apply km_le; lra).
    assert (exp (g - y) * kp (- (g - y)) <= exp (g - y) * kp far) by (apply Rmult_le_compat_l; lra).
    assert (exp (g - y) * km (- (g - y)) <= exp (g - y) * km far) by (apply Rmult_le_compat_l; lra).
    split; [split; lra | apply kp_pos; lra]. }
  assert (B : forall y p, near_cdf (g - y) p -> y < g -> g - y <= near ->
    within (km near) (kp near) (laplace_cdf (g - y)) p /\ 0 <= km near).
  { intros y q [_ M] H1 H2; destruct (M ltac:(lra)) as [L U]; rewrite laplace_cdf_pos by lra.
    pose proof (exp_pos (- (g - y))); pose proof (exp_lt_1 (- (g - y))).
    set (e := exp (- (g - y))) in *.
    assert (kp (g - y) <= kp near) by (apply kp_le; lra).
    assert (km (g - y) <= km near) by (apply km_le; lra).
    pose proof (kp_pos near); pose proof (km_pos near).
    assert (e * kp (g - y) <= e * kp near) by (apply Rmult_le_compat_l; lra).
    assert (e * km (g - y) <= e * km near) by (apply Rmult_le_compat_l; lra).
    assert (0 <= (1 - e) * kp near) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 - e) * km near) by (apply Rmult_le_pos; lra).
    split; [split; lra | lra]. }
  destruct (Rtotal_order x g) as [?|[?|?]], (Rtotal_order x' g) as [?|[?|?]]; try contradiction.
  - destruct (B x p) as [W ?]; [assumption.. |]; destruct (B x' p') as [W' ?]; [assumption.. |].
    eapply within_ratio; eauto.
  - destruct (B x p) as [W ?]; [assumption.. |]; destruct (A x' p') as [W' ?]; [assumption.. |].
    eapply within_ratio; eauto.
  - destruct (A x p) as [W ?]; [assumption.. |]; destruct (B x' p') as [W' ?]; [assumption.. |].
    eapply within_ratio; eauto.
  - destruct (A x p) as [W ?]; [assumption.. |]; destruct (A x' p') as [W' ?]; [assumption.. |].
    eapply within_ratio; eauto.
Qed.

End Errors.
