(** The probabilities of the ideal snapping mechanism in closed form.

    Which noisy values give an output: a cell of width [L] around it, or, for the outputs [B] and [-B],
    everything beyond the last cell.  From that the probability of each output, by the place of the input:
    above the cell, in it, or below it; below a threshold or above it.  The outputs are finitely many, and
    their probabilities add up to 1.  Two of the cases are easily missed: an input beyond the threshold of
    [B], and two inputs in the same cell.  Numbers at the end show what goes wrong without them. *)

Require Import Reals ZArith List Lra Lia.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Lastbit Require Import Lengths Handelman Ideal.
Open Scope R_scope.

(** * Multiples of [L] *)

Lemma multiple_lt L B k : 0 < L -> (L * IZR k < B <-> (k < Zceil (B / L))%Z).
Proof.
  intros HL; replace B with (L * (B / L)) at 1 by (field; lra); split; intros H.
  - apply lt_IZR; apply Rmult_lt_reg_l in H; [|exact HL]; pose proof (Zceil_ub (B / L)); lra.
  - apply Rmult_lt_compat_l; [exact HL |].
    apply Rnot_le_lt; intros Hle; apply Zceil_glb in Hle; lia.
Qed.

Lemma multiple_gt L B k : 0 < L -> (- B < L * IZR k <-> (- Zceil (B / L) < k)%Z).
Proof.
  intros HL; pose proof (multiple_lt L B (- k) HL) as H; rewrite opp_IZR in H.
  transitivity (L * - IZR k < B); [lra | rewrite H; lia].
Qed.

(** The largest multiple of [L] that is less than [B]. *)
Definition last_cell (L B : R) : R := L * IZR (Zceil (B / L) - 1).

Lemma last_cell_is_largest L B k :
  0 < L -> last_cell L B < B /\ (L * IZR k < B -> L * IZR k <= last_cell L B).
Proof.
  intros HL; unfold last_cell; rewrite !multiple_lt by exact HL; split; [lia |].
  intros Hk; apply Rmult_le_compat_l; [lra | apply IZR_le; lia].
Qed.

Lemma cell_of_ge L w k : 0 < L -> ((k <= cell_of L w)%Z <-> L * IZR k - L / 2 <= w).
Proof.
  intros HL; unfold cell_of.
  replace (L * IZR k - L / 2) with (L * (IZR k - 1 / 2)) by field.
  replace w with (L * (w / L)) at 2 by (field; lra); split; intros H.
  - apply Rmult_le_compat_l; [lra |].
    apply IZR_le in H; pose proof (Zfloor_lb (w / L + 1 / 2)); lra.
  - apply Rmult_le_reg_l in H; [|exact HL]; apply Zfloor_lub; lra.
Qed.

(** * Which noisy values give which output *)

(** An output between the ends: a cell of width [L] around it. *)
Lemma preimage_inner L B w k :
  0 < L -> - B < L * IZR k < B ->
  (clamp B (round_half_up L w) = L * IZR k <-> L * IZR k - L / 2 <= w < L * IZR k + L / 2).
Proof.
  intros HL He; rewrite (clamp_inner B _ _ He); change (round_half_up L w) with (L * IZR (cell_of L w)).
  pose proof (cell_of_ge L w k HL) as Hk.
  pose proof (cell_of_ge L w (k + 1) HL) as Hk1; rewrite plus_IZR in Hk1.
  transitivity (k <= cell_of L w /\ ~ k + 1 <= cell_of L w)%Z; [|rewrite Hk, Hk1; lra].
  split; intros H.
  - apply Rmult_eq_reg_l, eq_IZR in H; [lia | lra].
  - do 2 f_equal; lia.
Qed.

(** The output [B]: everything from half a step above the last cell on. *)
Lemma preimage_top L B w :
  0 < L -> 0 < B -> (clamp B (round_half_up L w) = B <-> last_cell L B + L / 2 <= w).
Proof.
  intros HL HB; rewrite (clamp_top B _ HB); change (round_half_up L w) with (L * IZR (cell_of L w)).
  replace (last_cell L B + L / 2) with (L * IZR (Zceil (B / L)) - L / 2)
    by (unfold last_cell; rewrite minus_IZR; field).
  rewrite <- cell_of_ge by exact HL.
  pose proof (multiple_lt L B (cell_of L w) HL) as H.
  transitivity (~ L * IZR (cell_of L w) < B); [lra | rewrite H; lia].
Qed.

(** The output [-B]: everything below the last cell on the other side. *)
Lemma preimage_bottom L B w :
  0 < L -> 0 < B -> (clamp B (round_half_up L w) = - B <-> w < - last_cell L B - L / 2).
Proof.
  intros HL HB; rewrite (clamp_bottom B _ HB); change (round_half_up L w) with (L * IZR (cell_of L w)).
  replace (- last_cell L B - L / 2) with (L * IZR (1 - Zceil (B / L)) - L / 2)
    by (unfold last_cell; rewrite !minus_IZR; field).
  pose proof (cell_of_ge L w (1 - Zceil (B / L)) HL) as Hge.
  pose proof (multiple_gt L B (cell_of L w) HL) as H.
  transitivity (~ - B < L * IZR (cell_of L w)); [lra |].
  transitivity (~ (1 - Zceil (B / L) <= cell_of L w)%Z); [rewrite H; lia | rewrite Hge; lra].
Qed.

(** * All outputs *)

(** The multiples of [L] from [L * k] on, [n] of them. *)
Fixpoint multiples (L : R) (k : Z) (n : nat) : list R :=
  match n with
  | O => nil
  | S n' => L * IZR k :: multiples L (k + 1) n'
  end.

(** The ends and the multiples of [L] between them. *)
Definition outputs (L B : R) : list R :=
  - B :: B :: multiples L (1 - Zceil (B / L)) (Z.to_nat (2 * Zceil (B / L) - 1)).

Lemma in_multiples L k n e :
  In e (multiples L k n) <-> exists j, (k <= j < k + Z.of_nat n)%Z /\ e = L * IZR j.
Proof.
  revert k; induction n as [|n IH]; intros k; cbn [multiples In].
  - split; [easy | intros (j & Hj & _); lia].
  - rewrite IH; split.
    + intros [<- | (j & Hj & ->)]; [exists k | exists j]; split; lia || reflexivity.
    + intros (j & Hj & ->); destruct (Z.eq_dec k j) as [->|Hne]; [now left | right].
      exists j; split; [lia | reflexivity].
Qed.

Lemma multiples_NoDup L k n : 0 < L -> NoDup (multiples L k n).
Proof.
  intros HL; revert k; induction n as [|n IH]; intros k; constructor; [|apply IH].
  rewrite in_multiples; intros (j & Hj & E).
  apply Rmult_eq_reg_l, eq_IZR in E; [lia | lra].
Qed.

Lemma Zceil_pos L B : 0 < L -> 0 < B -> (1 <= Zceil (B / L))%Z.
Proof. intros HL HB; assert (H : L * IZR 0 < B) by lra; apply multiple_lt in H; [lia | exact HL]. Qed.

Lemma in_outputs L B e :
  0 < L -> 0 < B ->
  (In e (outputs L B) <-> e = - B \/ e = B \/ exists k, e = L * IZR k /\ - B < L * IZR k < B).
Proof.
  intros HL HB; pose proof (Zceil_pos L B HL HB) as Hc.
  assert (Hrange : forall k, - B < L * IZR k < B <-> (- Zceil (B / L) < k < Zceil (B / L))%Z).
  { intros k; now rewrite multiple_lt, multiple_gt. }
  unfold outputs; cbn [In]; rewrite in_multiples; split.
  - intros [H | [H | (j & Hj & H)]]; [now left | now (right; left) | right; right].
    exists j; split; [exact H | apply Hrange; lia].
  - intros [H | [H | (j & H & Hj)]]; [now left | now (right; left) | right; right].
    exists j; split; [apply Hrange in Hj; lia | exact H].
Qed.

(** No output is listed twice, *)
Theorem outputs_NoDup L B : 0 < L -> 0 < B -> NoDup (outputs L B).
Proof.
  intros HL HB; pose proof (Zceil_pos L B HL HB) as Hc.
  assert (Hin : forall e, In e (multiples L (1 - Zceil (B / L)) (Z.to_nat (2 * Zceil (B / L) - 1))) ->
                - B < e < B).
  { intros e He; apply in_multiples in He as (j & Hj & ->).
    rewrite multiple_lt, multiple_gt by exact HL; lia. }
  unfold outputs; constructor; [|constructor; [|now apply multiples_NoDup]].
  - intros [H | H%Hin]; lra.
  - intros H%Hin; lra.
Qed.

(** and none is missing. *)
Theorem snap_outputs eps L B x u s : 0 < L -> 0 < B -> In (snap eps L B x u s) (outputs L B).
Proof.
  intros HL HB; apply in_outputs; [exact HL | exact HB |].
  unfold snap; set (w := noisy eps x u s); change (round_half_up L w) with (L * IZR (cell_of L w)).
  destruct (Rle_or_lt (L * IZR (cell_of L w)) (- B)) as [H|H]; [left; now apply clamp_bottom |].
  destruct (Rle_or_lt B (L * IZR (cell_of L w))) as [H'|H']; [right; left; now apply clamp_top |].
  right; right; exists (cell_of L w); split; [now apply clamp_inner | lra].
Qed.

(** * The probability of each output *)

Section Probabilities.

Variables eps L B x : R.
Hypothesis eps_pos : 0 < eps.
Hypothesis L_pos : 0 < L.
Hypothesis B_pos : 0 < B.

Lemma mass_inner k :
  - B < L * IZR k < B ->
  has_prob (snap eps L B x) (L * IZR k)
    (cell_mass (seen eps x (L * IZR k - L / 2)) (seen eps x (L * IZR k + L / 2)) / 2).
Proof.
  intros Hk; apply (prob_cell eps x eps_pos (fun w => clamp B (round_half_up L w) = L * IZR k)); [lra | ..];
    intros w Hw; rewrite (preimage_inner L B w k L_pos Hk); lra.
Qed.

Lemma mass_top : has_prob (snap eps L B x) B (upper_mass (seen eps x (last_cell L B + L / 2)) / 2).
Proof.
  apply (prob_upper eps x eps_pos (fun w => clamp B (round_half_up L w) = B));
    intros w Hw; rewrite (preimage_top L B w L_pos B_pos); lra.
Qed.

Lemma mass_bottom : has_prob (snap eps L B x) (- B) (lower_mass (seen eps x (- last_cell L B - L / 2)) / 2).
Proof.
  apply (prob_lower eps x eps_pos (fun w => clamp B (round_half_up L w) = - B));
    intros w Hw; rewrite (preimage_bottom L B w L_pos B_pos); lra.
Qed.

Lemma seen_below t : t <= x -> 0 < seen eps x t <= 1.
Proof. intros H; split; [apply exp_pos | unfold seen; rewrite <- exp_0; apply Raux.exp_le; nra]. Qed.

Lemma seen_above t : x <= t -> 1 <= seen eps x t.
Proof. intros H; unfold seen; rewrite <- exp_0; apply Raux.exp_le; nra. Qed.

Lemma seen_exp t : seen eps x t = exp (- eps * (x - t)).
Proof. unfold seen; f_equal; ring. Qed.

Lemma inv_seen_exp t : / seen eps x t = exp (- eps * (t - x)).
Proof. rewrite inv_seen; f_equal; ring. Qed.

(** An output between the ends.  The input lies above its cell, in it, or below it. *)
Theorem prob_inner k :
  - B < L * IZR k < B ->
  let a := L * IZR k - L / 2 in
  let b := L * IZR k + L / 2 in
  (b <= x ->
   has_prob (snap eps L B x) (L * IZR k) ((exp (- eps * (x - b)) - exp (- eps * (x - a))) / 2)) /\
  (a <= x <= b ->
   has_prob (snap eps L B x) (L * IZR k) (1 - (exp (- eps * (x - a)) + exp (- eps * (b - x))) / 2)) /\
  (x <= a ->
   has_prob (snap eps L B x) (L * IZR k) ((exp (- eps * (a - x)) - exp (- eps * (b - x))) / 2)).
Proof.
  intros Hk a b; pose proof (mass_inner k Hk) as H; fold a b in H.
  assert (Hab : a <= b) by (unfold a, b; lra).
  rewrite <- !seen_exp, <- !inv_seen_exp.
  split; [|split]; intros Hx.
  - pose proof (seen_below a ltac:(lra)); pose proof (seen_below b ltac:(lra)).
    now rewrite cell_mass_below in H by lra.
  - pose proof (seen_below a ltac:(lra)); pose proof (seen_above b ltac:(lra)).
    rewrite cell_mass_around in H by lra.
    now replace (1 - _) with ((2 - seen eps x a - / seen eps x b) / 2) by lra.
  - pose proof (seen_above a ltac:(lra)); pose proof (seen_above b ltac:(lra)).
    now rewrite cell_mass_above in H by lra.
Qed.

(** The output [B].  The input lies below the threshold, or above it. *)
Theorem prob_top :
  let a := last_cell L B + L / 2 in
  (x <= a -> has_prob (snap eps L B x) B (exp (- eps * (a - x)) / 2)) /\
  (a <= x -> has_prob (snap eps L B x) B (1 - exp (- eps * (x - a)) / 2)).
Proof.
  intros a; pose proof mass_top as H; fold a in H.
  rewrite <- seen_exp, <- inv_seen_exp; split; intros Hx.
  - pose proof (seen_above a Hx); now rewrite upper_mass_above in H by lra.
  - pose proof (seen_below a Hx); rewrite upper_mass_around in H by lra.
    now replace (1 - _) with ((2 - seen eps x a) / 2) by lra.
Qed.

(** The output [-B], which mirrors it. *)
Theorem prob_bottom :
  let b := - last_cell L B - L / 2 in
  (b <= x -> has_prob (snap eps L B x) (- B) (exp (- eps * (x - b)) / 2)) /\
  (x <= b -> has_prob (snap eps L B x) (- B) (1 - exp (- eps * (b - x)) / 2)).
Proof.
  intros b; pose proof mass_bottom as H; fold b in H.
  rewrite <- seen_exp, <- inv_seen_exp; split; intros Hx.
  - pose proof (seen_below b Hx); now rewrite lower_mass_below in H by lra.
  - pose proof (seen_above b Hx); rewrite lower_mass_around in H by lra.
    now replace (1 - _) with ((2 - / seen eps x b) / 2) by lra.
Qed.

(** What is not an output is never given. *)
Theorem prob_else e : ~ In e (outputs L B) -> has_prob (snap eps L B x) e 0.
Proof.
  intros He; apply event_prob_empty; intros u s _ _ H.
  apply He; rewrite <- H; now apply snap_outputs.
Qed.

(** Twice the probability of everything below [t]. *)
Let below (t : R) : R := lower_mass (seen eps x t).

Lemma prob_multiples k n :
  (forall j, (k <= j < k + Z.of_nat n)%Z -> - B < L * IZR j < B) ->
  set_prob (snap eps L B x) (multiples L k n)
    ((below (L * IZR (k + Z.of_nat n) - L / 2) - below (L * IZR k - L / 2)) / 2).
Proof.
  revert k; induction n as [|n IH]; intros k Hj; cbn [multiples set_prob].
  - rewrite Z.add_0_r; lra.
  - eexists _, _; split; [apply mass_inner, Hj; lia | split; [apply IH; intros j H; apply Hj; lia |]].
    replace (k + 1 + Z.of_nat n)%Z with (k + Z.of_nat (S n))%Z by lia.
    replace (L * IZR (k + 1) - L / 2) with (L * IZR k + L / 2) by (rewrite plus_IZR; field).
    unfold below, cell_mass, lower_mass; lra.
Qed.

(** The probabilities of all outputs add up to 1. *)
Theorem prob_total : set_prob (snap eps L B x) (outputs L B) 1.
Proof.
  pose proof (Zceil_pos L B L_pos B_pos) as Hc.
  eexists _, _; split; [exact mass_bottom | split].
  - eexists _, _; split; [exact mass_top | split; [apply prob_multiples | reflexivity]].
    intros j Hj; rewrite multiple_lt, multiple_gt by exact L_pos; lia.
  - rewrite Z2Nat.id by lia; unfold below, last_cell.
    replace (1 - Zceil (B / L) + (2 * Zceil (B / L) - 1))%Z with (Zceil (B / L)) by lia.
    replace (- (L * IZR (Zceil (B / L) - 1)) - L / 2) with (L * IZR (1 - Zceil (B / L)) - L / 2)
      by (rewrite !minus_IZR; field).
    replace (L * IZR (Zceil (B / L) - 1) + L / 2) with (L * IZR (Zceil (B / L)) - L / 2)
      by (rewrite minus_IZR; field).
    unfold upper_mass, lower_mass; lra.
Qed.

End Probabilities.

(** * Two cases that are easily missed *)

Lemma last_cell_1_2 : last_cell 1 2 = 1.
Proof.
  unfold last_cell; rewrite (Zceil_imp 2) by (simpl; lra); simpl; lra.
Qed.

(** The input lies above the threshold: [eps = L = 1], [B = x = 2], the output [B].  Its probability is 0.697.
    The formula for an input below the threshold, used for it all the same, gives 0.824. *)
Theorem input_above_threshold :
  (exists p, has_prob (snap 1 1 2 2) 2 p /\ Rabs (p - 0.697) <= 1e-3) /\
  Rabs (exp (-1 * (3 / 2 - 2)) / 2 - 0.824) <= 1e-3.
Proof.
  split; [|interval with (i_prec 80)].
  destruct (prob_top 1 1 2 2 ltac:(lra) ltac:(lra) ltac:(lra)) as [_ H].
  rewrite last_cell_1_2 in H; eexists; split; [apply H; lra | interval with (i_prec 80)].
Qed.

(** Both inputs lie in one cell: [eps = 1/4], [L = 4], [B = 8], the inputs 0 and 1, the output 0.  It is
    1.051 times as likely under the first.  The formula for an input above the cell, used for the second,
    gives 0.970. *)
Theorem inputs_in_one_cell :
  exists p1 p2,
    has_prob (snap (1 / 4) 4 8 0) 0 p1 /\ has_prob (snap (1 / 4) 4 8 1) 0 p2 /\
    Rabs (p1 / p2 - 1.051) <= 1e-3 /\
    Rabs (p1 / ((exp (- (1 / 4) * (1 - 2)) - exp (- (1 / 4) * (1 - -2))) / 2) - 0.970) <= 1e-3.
Proof.
  assert (Hcell : forall x, -2 <= x <= 2 ->
    has_prob (snap (1 / 4) 4 8 x) 0 (1 - (exp (- (1 / 4) * (x - -2)) + exp (- (1 / 4) * (2 - x))) / 2)).
  { intros x Hx; destruct (prob_inner (1 / 4) 4 8 x ltac:(lra) ltac:(lra) 0 ltac:(lra)) as (_ & H & _).
    rewrite Rmult_0_r in H.
    replace (0 - 4 / 2) with (-2) in H by lra; replace (0 + 4 / 2) with 2 in H by lra.
    now apply H. }
  do 2 eexists; split; [apply Hcell; lra | split; [apply Hcell; lra |]].
  split; interval with (i_prec 80).
Qed.

(** * The star inequality *)

(** The inequality by which the case-by-case proofs compare an input in a cell with one outside of it.  It
    needs nothing of [v], and it is strict exactly if [v] is not 0. *)
Theorem star_inequality v : 2 - exp (- v) <= exp v /\ (2 - exp (- v) = exp v <-> v = 0).
Proof.
  assert (Hsquare : exp v - (2 - exp (- v)) = Rsqr (exp (v / 2) - exp (- (v / 2)))).
  { replace v with (v / 2 + v / 2) at 1 2 by field.
    rewrite Ropp_plus_distr, !exp_plus, exp_Ropp; unfold Rsqr; field; apply Rgt_not_eq, exp_pos. }
  split; [pose proof (Rle_0_sqr (exp (v / 2) - exp (- (v / 2)))); lra |].
  split; [|intros ->; rewrite Ropp_0, exp_0; lra].
  intros H; assert (H0 : exp (v / 2) - exp (- (v / 2)) = 0) by (apply Rsqr_0_uniq; lra).
  assert (v / 2 = - (v / 2)) by (apply exp_inv; lra); lra.
Qed.
