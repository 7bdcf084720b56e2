(** Probabilities as lengths.

    A mechanism here draws a number [u] uniformly from (0, 1) and a sign [s] that is 1 or -1 with
    probability 1/2 each.  Everything that happens is an event on [u] for a fixed sign, and each of the
    events we meet is an interval, so no measure theory is needed: the probability of an interval of (0, 1)
    is its length.

    [has_length P l]: the set of the [u] of (0, 1) with [P u] is an interval of length [l], its ends left
    open (one point more or less does not change a length).  The length of a set is unique and grows with
    the set. *)

Require Import Reals Lra.
Open Scope R_scope.

Definition has_length (P : R -> Prop) (l : R) : Prop :=
  exists a b : R,
    0 <= a <= b /\ b <= 1 /\ l = b - a /\
    (forall u, a < u < b -> P u) /\
    (forall u, 0 < u < 1 -> u < a \/ b < u -> ~ P u).

(** An event on the pair of [u], uniform on (0, 1), and the sign [s], a fair coin between 1 and -1. *)
Definition event_prob (P : R -> R -> Prop) (p : R) : Prop :=
  exists lp ln : R,
    has_length (fun u => P u 1) lp /\ has_length (fun u => P u (-1)) ln /\ p = (lp + ln) / 2.

(** The mechanism [M], given [u] and [s], outputs [x] with probability [p]. *)
Definition has_prob {T : Type} (M : R -> R -> T) (x : T) (p : R) : Prop :=
  event_prob (fun u s => M u s = x) p.

(** * Lengths *)

Lemma has_length_bounds P l : has_length P l -> 0 <= l <= 1.
Proof. intros (a & b & Hab & Hb & -> & _); lra. Qed.

(** A larger set is at least as long. *)
Lemma has_length_le (P Q : R -> Prop) l l' :
  (forall u, 0 < u < 1 -> P u -> Q u) -> has_length P l -> has_length Q l' -> l <= l'.
Proof.
  intros Hsub (a & b & Hab & Hb & -> & HP & _) (a' & b' & Hab' & Hb' & -> & _ & HQ).
  destruct (Rle_or_lt (b - a) (b' - a')) as [H|H]; [exact H | exfalso].
  destruct (Rle_or_lt a' a) as [Ha|Ha].
  - set (c := Rmax a b').
    assert (Hc : a <= c /\ b' <= c /\ c < b).
    { unfold c; split; [apply Rmax_l | split; [apply Rmax_r | apply Rmax_lub_lt; lra]]. }
    apply (HQ ((c + b) / 2)); [lra | right; lra | apply Hsub; [lra | apply HP; lra]].
  - set (c := Rmin b a').
    assert (Hc : c <= b /\ c <= a' /\ a < c).
    { unfold c; split; [apply Rmin_l | split; [apply Rmin_r | apply Rmin_glb_lt; lra]]. }
    apply (HQ ((a + c) / 2)); [lra | left; lra | apply Hsub; [lra | apply HP; lra]].
Qed.

(** A set has at most one length. *)
Lemma has_length_unique P l l' : has_length P l -> has_length P l' -> l = l'.
Proof. intros H H'; apply Rle_antisym; eapply has_length_le; eauto; intros u _ Hu; exact Hu. Qed.

Lemma has_length_ext (P Q : R -> Prop) l :
  (forall u, 0 < u < 1 -> (P u <-> Q u)) -> has_length P l -> has_length Q l.
Proof.
  intros Heq (a & b & Hab & Hb & Hl & Hin & Hout).
  exists a, b; repeat split; try tauto.
  - intros u Hu; apply Heq; [lra | now apply Hin].
  - intros u Hu Ho HQ; apply (Hout u Hu Ho); now apply Heq.
Qed.

Lemma has_length_empty (P : R -> Prop) : (forall u, 0 < u < 1 -> ~ P u) -> has_length P 0.
Proof. intros H; exists 0, 0; repeat split; try lra; [intros; lra | intros u Hu _; now apply H]. Qed.

Lemma has_length_full (P : R -> Prop) : (forall u, 0 < u < 1 -> P u) -> has_length P 1.
Proof. intros H; exists 0, 1; repeat split; try lra; [exact H | intros; lra]. Qed.

(** [P] holds below [c] and fails above it. *)
Lemma has_length_below (P : R -> Prop) c :
  0 <= c <= 1 -> (forall u, 0 < u < c -> P u) -> (forall u, c < u < 1 -> ~ P u) -> has_length P c.
Proof.
  intros Hc Hin Hout; exists 0, c; repeat split; try lra; [exact Hin |].
  intros u Hu [H|H]; [lra | apply Hout; lra].
Qed.

(** [P] holds above [c] and fails below it. *)
Lemma has_length_above (P : R -> Prop) c :
  0 <= c <= 1 -> (forall u, c < u < 1 -> P u) -> (forall u, 0 < u < c -> ~ P u) -> has_length P (1 - c).
Proof.
  intros Hc Hin Hout; exists c, 1; repeat split; try lra; [exact Hin |].
  intros u Hu [H|H]; [apply Hout; lra | lra].
Qed.

(** Any interval with ends [0 <= a <= b], with or without them; it may reach beyond 1. *)
Lemma has_length_interval (P : R -> Prop) a b :
  0 <= a <= b ->
  (forall u, 0 < u < 1 -> a < u < b -> P u) ->
  (forall u, 0 < u < 1 -> u < a \/ b < u -> ~ P u) ->
  has_length P (Rmin 1 b - Rmin 1 a).
Proof.
  intros Hab Hin Hout; exists (Rmin 1 a), (Rmin 1 b).
  unfold Rmin; destruct (Rle_dec 1 a), (Rle_dec 1 b); repeat split; try lra;
    try (intros u Hu; apply Hin; lra); intros u Hu [H|H]; try lra; apply Hout; lra.
Qed.

(** * Probabilities *)

Lemma event_prob_bounds P p : event_prob P p -> 0 <= p <= 1.
Proof.
  intros (lp & ln & Hp & Hn & ->).
  apply has_length_bounds in Hp; apply has_length_bounds in Hn; lra.
Qed.

Lemma event_prob_le (P Q : R -> R -> Prop) p q :
  (forall u s, 0 < u < 1 -> s = 1 \/ s = -1 -> P u s -> Q u s) -> event_prob P p -> event_prob Q q -> p <= q.
Proof.
  intros Hsub (lp & ln & Hp & Hn & ->) (lp' & ln' & Hp' & Hn' & ->).
  assert (lp <= lp') by (refine (has_length_le _ _ _ _ _ Hp Hp'); intros u Hu; apply Hsub; tauto).
  assert (ln <= ln') by (refine (has_length_le _ _ _ _ _ Hn Hn'); intros u Hu; apply Hsub; tauto).
  lra.
Qed.

Lemma event_prob_unique P p q : event_prob P p -> event_prob P q -> p = q.
Proof. intros Hp Hq; apply Rle_antisym; eapply event_prob_le; eauto; tauto. Qed.

Lemma event_prob_ext (P Q : R -> R -> Prop) p :
  (forall u s, 0 < u < 1 -> s = 1 \/ s = -1 -> (P u s <-> Q u s)) -> event_prob P p -> event_prob Q p.
Proof.
  intros Heq (lp & ln & Hp & Hn & ->); exists lp, ln; split; [|split; [|reflexivity]].
  - refine (has_length_ext _ _ _ _ Hp); intros u Hu; apply Heq; tauto.
  - refine (has_length_ext _ _ _ _ Hn); intros u Hu; apply Heq; tauto.
Qed.

Lemma event_prob_empty (P : R -> R -> Prop) :
  (forall u s, 0 < u < 1 -> s = 1 \/ s = -1 -> ~ P u s) -> event_prob P 0.
Proof.
  intros H; exists 0, 0; split; [|split; [|lra]]; apply has_length_empty; intros u Hu; apply H; tauto.
Qed.

Lemma event_prob_full (P : R -> R -> Prop) :
  (forall u s, 0 < u < 1 -> s = 1 \/ s = -1 -> P u s) -> event_prob P 1.
Proof.
  intros H; exists 1, 1; split; [|split; [|lra]]; apply has_length_full; intros u Hu; apply H; tauto.
Qed.

(** A mechanism gives each output with at most one probability. *)
Lemma has_prob_unique {T : Type} (M : R -> R -> T) x p q : has_prob M x p -> has_prob M x q -> p = q.
Proof. apply event_prob_unique. Qed.
