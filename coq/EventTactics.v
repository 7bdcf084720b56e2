(** What certificates by EVENT are written with.

    The mechanism adds Laplace noise to its input, made of a uniform [u] and a sign [s], and returns a
    monotone function of the noisy value. So an interval of outputs is an interval of noisy values, and its
    probabilities under two inputs are the masses of Handelman.v at ends that differ by one factor [k]. What
    is left are inequalities between masses. Handelman.v has them; here they are a hypothesis,
    [event_inequalities], and a certificate brings its own lemmas, one for each case of which ends lie below
    1. *)

From Coq Require Import Reals Lra.
From Flocq Require Import Core.
From Lastbit Require Import Lengths Handelman Ideal Finite FiniteTactics.
Open Scope R_scope.

(** Cells, tails and the whole line are at most [E] times as likely. *)
Definition event_inequalities (E k : R) : Prop :=
  (forall A b, 0 < A -> A <= b -> cell_mass A b <= E * cell_mass (k * A) (k * b)) /\
  (forall b, 0 < b -> lower_mass b <= E * lower_mass (k * b)) /\
  (forall A, 0 < A -> upper_mass A <= E * upper_mass (k * A)) /\
  1 <= E.

Lemma interval_private_by rate x1 x2 E J :
  0 < rate -> convex J -> event_inequalities E (exp (rate * (x1 - x2))) ->
  exists p1 p2,
    event_prob (fun u s => J (noisy rate x1 u s)) p1 /\
    event_prob (fun u s => J (noisy rate x2 u s)) p2 /\ p1 <= E * p2.
Proof.
  intros Hr HJ (Hcell & Hlower & Hupper & Hall).
  set (k := exp (rate * (x1 - x2))) in *.
  assert (Hseen : forall t, seen rate x2 t = k * seen rate x1 t).
  { intros t; unfold seen, k; rewrite <- exp_plus; f_equal; ring. }
  destruct (convex_shape J HJ) as [H | b Hin Hout | a Hin Hout | a b Hab Hin Hout].
  - exists 1, 1; split; [|split]; [apply event_prob_full; auto .. | lra].
  - exists (lower_mass (seen rate x1 b) / 2), (lower_mass (seen rate x2 b) / 2).
    split; [|split]; [now apply prob_lower .. |].
    rewrite Hseen; pose proof (Hlower _ (seen_pos rate x1 b)); lra.
  - exists (upper_mass (seen rate x1 a) / 2), (upper_mass (seen rate x2 a) / 2).
    split; [|split]; [now apply prob_upper .. |].
    rewrite Hseen; pose proof (Hupper _ (seen_pos rate x1 a)); lra.
  - exists (cell_mass (seen rate x1 a) (seen rate x1 b) / 2).
    exists (cell_mass (seen rate x2 a) (seen rate x2 b) / 2).
    split; [|split]; [now apply prob_cell .. |].
    rewrite !Hseen.
    pose proof (Hcell _ _ (seen_pos rate x1 a) (seen_le rate x1 Hr a b Hab)); lra.
Qed.

(** EVENT, with PREIM: the runs [M1] and [M2] are a monotone [g] of noisy values whose centres [x1] and [x2]
    are at most [cost] apart, in units of the scale [c]. [d1], [d2], [d3] are the certificate's excesses. *)
Theorem event_private claim cost rate c x1 x2 g (M1 M2 : R -> R -> R) d1 d2 d3 :
  (forall E k, 0 < E -> 0 < k -> 0 <= -1 + E * k -> 0 <= E - k -> event_inequalities E k) ->
  - c < 0 -> c = / rate ->
  d1 <= 0 -> d1 = rate * (x1 - x2) - cost -> d2 <= 0 -> d2 = - (rate * (x1 - x2)) - cost ->
  d3 <= 0 -> d3 = cost - claim ->
  monotone g ->
  (forall u s, M1 u s = g (noisy rate x1 u s)) -> (forall u s, M2 u s = g (noisy rate x2 u s)) ->
  forall O, convex O ->
  exists p1 p2,
    event_prob (fun u s => O (M1 u s)) p1 /\ event_prob (fun u s => O (M2 u s)) p2 /\ p1 <= exp claim * p2.
Proof.
  intros Hcases Hc Hrate H1 -> H2 -> H3 -> Hg HM1 HM2 O HO.
  assert (0 < rate).
  { rewrite <- (Rinv_inv rate), <- Hrate; apply Rinv_0_lt_compat; lra. }
  destruct (interval_private_by rate x1 x2 (exp cost) (fun w => O (g w))) as (p1 & p2 & P1 & P2 & Hle).
  - assumption.
  - intros a b d Habd; apply HO; split; apply Hg; lra.
  - assert (Hup : exp (rate * (x1 - x2)) <= exp cost) by (apply Raux.exp_le; lra).
    assert (Hlow : exp 0 <= exp (cost + rate * (x1 - x2))) by (apply Raux.exp_le; lra).
    rewrite exp_0, exp_plus in Hlow; apply Hcases; try apply exp_pos; lra.
  - exists p1, p2; split; [|split].
    + revert P1; apply event_prob_ext; intros; now rewrite HM1.
    + revert P2; apply event_prob_ext; intros; now rewrite HM2.
    + apply event_prob_bounds in P2; apply Rle_trans with (exp cost * p2); [exact Hle|].
      apply Rmult_le_compat_r; [lra | apply Raux.exp_le; lra].
Qed.

(** * Tactics *)

(** One case of an inequality between masses, by a lemma about it. *)
Ltac minima :=
  repeat match goal with
  | H : ?x <= 1 |- context [min1 ?x] => rewrite (min1_low x H)
  | H : 1 <= ?x |- context [min1 ?x] => rewrite (min1_high x H)
  | H : ?x <= 1, P : 0 < ?x |- context [min1 (/ ?x)] => rewrite (min1_inv_low x P H)
  | H : 1 <= ?x |- context [min1 (/ ?x)] => rewrite (min1_inv_high x H)
  end.

Lemma by_excess e p q : e <= 0 -> e = p - q -> p <= q.
Proof. lra. Qed.

Ltac by_case L :=
  unfold cell_mass, lower_mass, upper_mass; minima;
  eapply by_excess; [apply L; (assumption || (apply Rinv_0_lt_compat; assumption) || lra) | field; nonzero].

Lemma round_half_even_monotone L : 0 < L -> monotone (round_half_even L).
Proof.
  intros HL v w H; unfold round_half_even; apply Rmult_le_compat_l; [lra|].
  apply IZR_le, Zrnd_le; [apply valid_rnd_N|].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, HL | exact H].
Qed.

(** Rounding, clamping and the like, one inside of the other. *)
Ltac is_monotone :=
  let v := fresh "v" in let w := fresh "w" in let H := fresh in
  intros v w H; cbv beta zeta;
  repeat first
    [ exact H
    | apply clamp_monotone
    | apply round_half_up_monotone; [apply positive_divisor; is_negative|]
    | apply round_half_even_monotone; [apply positive_divisor; is_negative|]
    | apply Rplus_le_compat_r
    | apply Rle_min_compat_r
    | apply Rle_max_compat_r ].

(** That the program is defined for all samples; each condition has been asserted. *)
Ltac is_defined_event :=
  intros;
  repeat match goal with H : _ < _ <= 1 |- _ => destruct H end;
  cbv zeta;
  repeat split; first [exact I | assumption | condition].

(** That the text of a run is a function of the noisy value. *)
Ltac same_function := intros; cbv beta zeta delta [noisy]; repeat f_equal; same_reading.

(** The two directions speak of the same probabilities. *)
Lemma both_directions (P1 P2 : R -> R -> Prop) c :
  (exists p1 p2, event_prob P1 p1 /\ event_prob P2 p2 /\ p1 <= c * p2) ->
  (exists p2 p1, event_prob P2 p2 /\ event_prob P1 p1 /\ p2 <= c * p1) ->
  exists p1 p2, event_prob P1 p1 /\ event_prob P2 p2 /\ p1 <= c * p2 /\ p2 <= c * p1.
Proof.
  intros (p1 & p2 & H1 & H2 & H) (q2 & q1 & H2' & H1' & H').
  rewrite (event_prob_unique _ _ _ H1' H1), (event_prob_unique _ _ _ H2' H2) in H'.
  exists p1, p2; auto.
Qed.
