(** The relational logic on finite distributions: what a judgement means, and that its rules are sound.

    A finite distribution is a list of values with weights. The judgement [rel eps delta d1 d2 Q] says that
    every event of the first run is at most [exp eps] times as likely as its image under [Q] in the second
    run, plus [delta]. It is one direction; privacy is both, with equality for [Q]. For each rule of the
    logic there is a theorem with its name. The rules about Laplace noise and uniform samples are not here:
    they are not finite.

    Most proofs are comparisons of sums. Only SEQ needs an idea: from events to functions with values between
    0 and 1, by cutting these into [n] layers, each of which is an event, and letting [n] grow. *)

From Coq Require Import Reals Lra Lia List Bool.
Import ListNotations.
Open Scope R_scope.

(** * Finite distributions *)

Definition dist (A : Type) : Type := list (A * R).

(** The expected value of [g]. *)
Fixpoint expect {A : Type} (d : dist A) (g : A -> R) : R :=
  match d with
  | [] => 0
  | (a, p) :: rest => p * g a + expect rest g
  end.

(** 1 for true, 0 for false. *)
Definition flag (b : bool) : R := if b then 1 else 0.

(** The probability of an event. *)
Definition prob {A : Type} (d : dist A) (E : A -> bool) : R := expect d (fun a => flag (E a)).

Definition nonneg {A : Type} (d : dist A) : Prop := Forall (fun ap => 0 <= snd ap) d.

Definition is_dist {A : Type} (d : dist A) : Prop := nonneg d /\ prob d (fun _ => true) = 1.

Definition unit {A : Type} (a : A) : dist A := [(a, 1)].

Definition scale {A : Type} (p : R) (d : dist A) : dist A := map (fun bq => (fst bq, p * snd bq)) d.

(** Draw [a], then run [f a]. *)
Definition bind {A B : Type} (d : dist A) (f : A -> dist B) : dist B :=
  flat_map (fun ap => scale (snd ap) (f (fst ap))) d.

Lemma flag_range b : 0 <= flag b <= 1.
Proof. destruct b; simpl; lra. Qed.

Lemma flag_le a b : (a = true -> b = true) -> flag a <= flag b.
Proof. destruct a, b; simpl; intros H; try lra; now discriminate H. Qed.

Section Expectation.

Context {A B : Type}.
Implicit Types (d : dist A) (g h : A -> R).

Lemma expect_le d g h :
  nonneg d -> (forall a p, In (a, p) d -> 0 < p -> g a <= h a) -> expect d g <= expect d h.
Proof.
  intros Hd; induction Hd as [|[a p] d Hp Hd IH]; intros Hgh; [now apply Rle_refl | simpl in *].
  apply Rplus_le_compat; [|apply IH; intros; eapply Hgh; eauto].
  destruct (Rle_lt_or_eq_dec _ _ Hp) as [H|<-]; [|lra].
  apply Rmult_le_compat_l; [exact Hp | eapply Hgh; eauto].
Qed.

Lemma expect_linear d g h c : expect d (fun a => g a + c * h a) = expect d g + c * expect d h.
Proof. induction d as [|[a p] d IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma expect_ext d g h : (forall a, g a = h a) -> expect d g = expect d h.
Proof. intros H; induction d as [|[a p] d IH]; simpl; [reflexivity | now rewrite IH, H]. Qed.

Lemma expect_const d c : expect d (fun _ => c) = c * prob d (fun _ => true).
Proof. unfold prob; induction d as [|[a p] d IH]; simpl; [ring | rewrite IH; simpl; ring]. Qed.

Lemma expect_app d d' g : expect (d ++ d') g = expect d g + expect d' g.
Proof. induction d as [|[a p] d IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma expect_scale d c g : expect (scale c d) g = c * expect d g.
Proof. induction d as [|[a p] d IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma prob_le d (E F : A -> bool) :
  nonneg d -> (forall a p, In (a, p) d -> 0 < p -> E a = true -> F a = true) -> prob d E <= prob d F.
Proof. intros Hd H; apply expect_le; [exact Hd | intros; apply flag_le; eauto]. Qed.

Lemma prob_nonneg d (E : A -> bool) : nonneg d -> 0 <= prob d E.
Proof.
  intros Hd; replace 0 with (expect d (fun _ => 0)) by (rewrite expect_const; ring).
  apply expect_le; [exact Hd | intros; apply flag_range].
Qed.

Lemma prob_le_1 d (E : A -> bool) : is_dist d -> prob d E <= 1.
Proof. intros [Hd <-]; now apply prob_le. Qed.

End Expectation.

(** Probabilities after [bind] are averages. *)
Lemma expect_bind {A B} (d : dist A) (f : A -> dist B) g :
  expect (bind d f) g = expect d (fun a => expect (f a) g).
Proof.
  induction d as [|[a p] d IH]; simpl; [reflexivity | now rewrite expect_app, expect_scale, IH].
Qed.

Lemma prob_unit {A} (a : A) E : prob (unit a) E = flag (E a).
Proof. unfold prob; simpl; ring. Qed.

Lemma is_dist_unit {A} (a : A) : is_dist (unit a).
Proof.
  split; [repeat constructor; simpl; lra | apply prob_unit].
Qed.

Lemma nonneg_scale {A} p (d : dist A) : 0 <= p -> nonneg d -> nonneg (scale p d).
Proof.
  intros Hp Hd; apply Forall_map; revert Hd; apply Forall_impl; intros [a q] Hq; now apply Rmult_le_pos.
Qed.

Lemma is_dist_bind {A B} (d : dist A) (f : A -> dist B) :
  is_dist d -> (forall a, In a (map fst d) -> is_dist (f a)) -> is_dist (bind d f).
Proof.
  intros [Hd H1] Hf; split.
  - apply Forall_flat_map; unfold nonneg in Hd; rewrite Forall_forall in *; intros [a p] Hin.
    apply nonneg_scale; [now apply (Hd _ Hin) | apply Hf, (in_map fst _ _ Hin)].
  - unfold prob in *; rewrite expect_bind, <- H1; clear Hd H1.
    induction d as [|[a p] d IH]; [reflexivity | cbn [expect]].
    rewrite IH by (intros; apply Hf; now right).
    destruct (Hf a (or_introl eq_refl)) as [_ Ha]; unfold prob in Ha; now rewrite Ha.
Qed.

(** * The judgement *)

(** [Q] maps the event [E] into the event [F]. *)
Definition maps_into {A B} (Q : A -> B -> Prop) (E : A -> bool) (F : B -> bool) : Prop :=
  forall a b, Q a b -> E a = true -> F b = true.

Definition rel {A B} (eps delta : R) (d1 : dist A) (d2 : dist B) (Q : A -> B -> Prop) : Prop :=
  forall E F, maps_into Q E F -> prob d1 E <= exp eps * prob d2 F + delta.

(** [|- c1 ~[eps,delta] c2 : P => Q], for programs from memories to finite distributions. *)
Definition judgement {M1 M2 A B} (eps delta : R) (c1 : M1 -> dist A) (c2 : M2 -> dist B)
    (P : M1 -> M2 -> Prop) (Q : A -> B -> Prop) : Prop :=
  forall m1 m2, P m1 m2 -> rel eps delta (c1 m1) (c2 m2) Q.

(** Differential privacy. *)
Definition private {M A} (eps : R) (c : M -> dist A) (adjacent : M -> M -> Prop) : Prop :=
  forall m1 m2, adjacent m1 m2 ->
    forall E, prob (c m1) E <= exp eps * prob (c m2) E /\ prob (c m2) E <= exp eps * prob (c m1) E.

(** * Rules without samples *)

(** For equality the judgement is about each event and itself. *)
Theorem rule_event {A} eps delta (d1 d2 : dist A) : nonneg d2 ->
  rel eps delta d1 d2 eq <-> forall E, prob d1 E <= exp eps * prob d2 E + delta.
Proof.
  intros H2; split; [intros H E; apply H; now intros a b <- | intros H E F HEF].
  eapply Rle_trans; [apply H|]; apply Rplus_le_compat_r, Rmult_le_compat_l; [left; apply exp_pos|].
  apply prob_le; [exact H2 | intros a _ _ _; now apply HEF].
Qed.

(** CONSEQ: more cost, a weaker relation. *)
Theorem rule_conseq {A B} eps eps' delta delta' (d1 : dist A) (d2 : dist B) (Q Q' : A -> B -> Prop) :
  nonneg d2 -> eps <= eps' -> delta <= delta' -> (forall a b, Q a b -> Q' a b) ->
  rel eps delta d1 d2 Q -> rel eps' delta' d1 d2 Q'.
Proof.
  intros H2 He Hd HQ H E F HEF.
  apply Rle_trans with (exp eps * prob d2 F + delta); [apply H; unfold maps_into in *; eauto|].
  apply Rplus_le_compat; [|exact Hd]; apply Rmult_le_compat_r; [now apply prob_nonneg|].
  destruct He as [He| ->]; [left; now apply exp_increasing | apply Rle_refl].
Qed.

(** CASE: each of several cases that cover everything. *)
Theorem rule_case {M1 M2 A B} eps delta (c1 : M1 -> dist A) (c2 : M2 -> dist B)
    (P P' P'' : M1 -> M2 -> Prop) (Q : A -> B -> Prop) :
  (forall m1 m2, P m1 m2 -> P' m1 m2 \/ P'' m1 m2) ->
  judgement eps delta c1 c2 P' Q -> judgement eps delta c1 c2 P'' Q -> judgement eps delta c1 c2 P Q.
Proof. intros HP H' H'' m1 m2 Hm; destruct (HP m1 m2 Hm); auto. Qed.

(** DP: both directions, *)
Theorem rule_dp {M A} eps (c : M -> dist A) adjacent :
  judgement eps 0 c c adjacent eq -> judgement eps 0 c c (fun m1 m2 => adjacent m2 m1) eq ->
  private eps c adjacent.
Proof.
  intros H H' m1 m2 Hm E.
  assert (HE : maps_into eq E E) by now intros a b <-.
  split; [pose proof (H m1 m2 Hm E E HE) | pose proof (H' m2 m1 Hm E E HE)]; lra.
Qed.

(** or one, if being neighbours is symmetric. *)
Theorem rule_dp_symmetric {M A} eps (c : M -> dist A) (adjacent : M -> M -> Prop) :
  (forall m1 m2, adjacent m1 m2 -> adjacent m2 m1) ->
  judgement eps 0 c c adjacent eq -> private eps c adjacent.
Proof. intros Hs H; apply rule_dp; [exact H | intros m1 m2 Hm; apply H, Hs, Hm]. Qed.

(** * SEQ *)

(** How many of 0, 1, ..., n - 1 are below [y]. *)
Fixpoint layers (n : nat) (y : R) : R :=
  match n with
  | O => 0
  | S n => layers n y + (if Rlt_dec (INR n) y then 1 else 0)
  end.

Lemma layers_all n y : INR n <= y -> layers n y = INR n.
Proof.
  induction n as [|n IH]; intros H; [reflexivity|].
  rewrite S_INR in *; simpl; rewrite IH by lra; destruct (Rlt_dec (INR n) y); lra.
Qed.

Lemma layers_count n y : 0 <= y <= INR n -> y <= layers n y <= y + 1.
Proof.
  induction n as [|n IH]; intros H; [simpl in *; lra|].
  rewrite S_INR in H; simpl; destruct (Rlt_dec (INR n) y).
  - rewrite layers_all by lra; lra.
  - assert (y <= layers n y <= y + 1) by (apply IH; lra); lra.
Qed.

(** The expected number of layers is a sum of probabilities. *)
Lemma layers_le {A B} eps delta (d1 : dist A) (d2 : dist B) Q (f : A -> R) (g : B -> R) (n : nat) :
  rel eps delta d1 d2 Q -> (forall a b, Q a b -> f a <= g b) ->
  expect d1 (fun a => layers n (f a)) <= exp eps * expect d2 (fun b => layers n (g b)) + INR n * delta.
Proof.
  intros Hrel Hfg; induction n as [|n IH].
  - simpl; rewrite !expect_const; lra.
  - pose (above := fun y => if Rlt_dec (INR n) y then true else false).
    assert (Hl : forall y, layers (S n) y = layers n y + 1 * flag (above y)).
    { intros y; unfold above; simpl; destruct (Rlt_dec (INR n) y); simpl; ring. }
    rewrite (expect_ext d1 _ _ (fun a => Hl (f a))), (expect_ext d2 _ _ (fun b => Hl (g b))).
    rewrite !expect_linear, S_INR.
    assert (H : prob d1 (fun a => above (f a)) <= exp eps * prob d2 (fun b => above (g b)) + delta).
    { apply Hrel; intros a b Hab; specialize (Hfg a b Hab); unfold above.
      destruct (Rlt_dec (INR n) (f a)), (Rlt_dec (INR n) (g b)); (reflexivity || lra || discriminate). }
    unfold prob in H; nra.
Qed.

(** From events to functions. *)
Lemma rel_expect {A B} eps delta (d1 : dist A) (d2 : dist B) Q (f : A -> R) (g : B -> R) :
  is_dist d1 -> is_dist d2 -> rel eps delta d1 d2 Q ->
  (forall a, 0 <= f a <= 1) -> (forall b, 0 <= g b <= 1) -> (forall a b, Q a b -> f a <= g b) ->
  expect d1 f <= exp eps * expect d2 g + delta.
Proof.
  intros [H1 _] [H2 T2] Hrel Hf Hg Hfg.
  assert (Hn : forall n, INR n * (expect d1 f - (exp eps * expect d2 g + delta)) <= exp eps).
  { intros n.
    assert (Hr : forall y, 0 <= y <= 1 -> 0 <= 0 + INR n * y <= INR n).
    { intros y Hy; pose proof (pos_INR n); nra. }
    assert (L : expect d1 (fun a => 0 + INR n * f a) <= expect d1 (fun a => layers n (0 + INR n * f a))).
    { apply expect_le; [exact H1 | intros a p _ _; apply layers_count, Hr, Hf]. }
    assert (U : expect d2 (fun b => layers n (0 + INR n * g b)) <= expect d2 (fun b => 1 + INR n * g b)).
    { apply expect_le; [exact H2 | intros b p _ _].
      pose proof (layers_count n (0 + INR n * g b) (Hr _ (Hg b))); lra. }
    rewrite expect_linear, expect_const in L; rewrite expect_linear, expect_const, T2 in U.
    assert (M : expect d1 (fun a => layers n (0 + INR n * f a))
                <= exp eps * expect d2 (fun b => layers n (0 + INR n * g b)) + INR n * delta).
    { apply (layers_le _ _ _ _ Q); [exact Hrel | intros a b Hab].
      specialize (Hfg a b Hab); pose proof (pos_INR n); nra. }
    pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ (exp_pos eps)) U); lra. }
  destruct (Rle_or_lt (expect d1 f) (exp eps * expect d2 g + delta)) as [H|H]; [exact H | exfalso].
  set (x := expect d1 f - (exp eps * expect d2 g + delta)) in *.
  assert (Hx : 0 < x) by (unfold x; lra).
  destruct (archimed (exp eps / x)) as [Hup _].
  assert (Hpos : 0 < exp eps / x) by (apply Rdiv_lt_0_compat; [apply exp_pos | exact Hx]).
  assert (Hz : (0 < up (exp eps / x))%Z) by (apply lt_IZR; lra).
  specialize (Hn (Z.to_nat (up (exp eps / x)))); rewrite INR_IZR_INZ, Z2Nat.id in Hn by lia.
  apply (Rmult_lt_compat_r x) in Hup; [|exact Hx].
  unfold Rdiv in Hup at 1; rewrite Rmult_assoc, Rinv_l in Hup; lra.
Qed.

(** SEQ: costs add. *)
Theorem rule_seq {A B A' B'} eps eps' delta delta' (d1 : dist A) (d2 : dist B)
    (f1 : A -> dist A') (f2 : B -> dist B') Q Q' :
  is_dist d1 -> is_dist d2 -> (forall a, is_dist (f1 a)) -> (forall b, is_dist (f2 b)) -> 0 <= delta' ->
  rel eps delta d1 d2 Q -> (forall a b, Q a b -> rel eps' delta' (f1 a) (f2 b) Q') ->
  rel (eps + eps') (delta + delta') (bind d1 f1) (bind d2 f2) Q'.
Proof.
  intros H1 H2 Hf1 Hf2 Hd HQ HQ' E F HEF.
  unfold prob; rewrite !expect_bind.
  pose (f := fun a => Rmax 0 (prob (f1 a) E - delta')).
  pose (g := fun b => Rmin 1 (exp eps' * prob (f2 b) F)).
  assert (Hp1 : forall a, 0 <= prob (f1 a) E <= 1).
  { intros a; split; [apply prob_nonneg, Hf1 | apply prob_le_1, Hf1]. }
  assert (Hp2 : forall b, 0 <= exp eps' * prob (f2 b) F).
  { intros b; apply Rmult_le_pos; [left; apply exp_pos | apply prob_nonneg, Hf2]. }
  assert (H : expect d1 f <= exp eps * expect d2 g + delta).
  { apply (rel_expect _ _ _ _ Q); trivial.
    - intros a; specialize (Hp1 a); unfold f; split; [apply Rmax_l | apply Rmax_lub; lra].
    - intros b; specialize (Hp2 b); unfold g; split; [apply Rmin_glb; lra | apply Rmin_l].
    - intros a b Hab; pose proof (HQ' a b Hab E F HEF); specialize (Hp1 a); specialize (Hp2 b).
      unfold f, g; apply Rmax_lub; apply Rmin_glb; lra. }
  assert (L : expect d1 (fun a => prob (f1 a) E + -1 * delta') <= expect d1 f).
  { apply expect_le; [apply H1 | intros a p _ _; unfold f; eapply Rle_trans; [|apply Rmax_r]; lra]. }
  assert (U : expect d2 g <= expect d2 (fun b => 0 + exp eps' * prob (f2 b) F)).
  { apply expect_le; [apply H2 | intros b p _ _; unfold g; eapply Rle_trans; [apply Rmin_r|]; lra]. }
  rewrite expect_linear, expect_const, (proj2 H1) in L; rewrite expect_linear, expect_const in U.
  pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ (exp_pos eps)) U).
  rewrite exp_plus; unfold prob in *; lra.
Qed.

(** * Rules about samples *)

(** RND-ID: the same law in both runs. *)
Theorem rule_rnd_id {A} (d : dist A) : nonneg d -> rel 0 0 d d eq.
Proof. intros Hd; apply rule_event; [exact Hd | intros E; rewrite exp_0; lra]. Qed.

(** "AxNull, for any mu1 and mu2" is false: two coins that always fall the same way, and differently. *)
Theorem ax_null_for_any_laws_is_false :
  ~ forall mu1 mu2 : dist bool, is_dist mu1 -> is_dist mu2 -> rel 0 0 mu1 mu2 eq.
Proof.
  intros H.
  specialize (H (unit true) (unit false) (is_dist_unit _) (is_dist_unit _) (fun b => b) (fun b => b)).
  rewrite !prob_unit, exp_0 in H; simpl in H; enough (1 <= 1 * 0 + 0) by lra; apply H; now intros a b <-.
Qed.

Definition sum {V} (vs : list V) (g : V -> R) : R := fold_right (fun v s => g v + s) 0 vs.

Lemma sum_le {V} (vs : list V) g h : (forall v, In v vs -> g v <= h v) -> sum vs g <= sum vs h.
Proof.
  induction vs as [|v vs IH]; simpl; intros H; [apply Rle_refl|].
  apply Rplus_le_compat; auto.
Qed.

Lemma sum_linear {V} (vs : list V) g h c : sum vs (fun v => c * g v + h v) = c * sum vs g + sum vs h.
Proof. induction vs as [|v vs IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_nonneg {V} (vs : list V) g : (forall v, In v vs -> 0 <= g v) -> 0 <= sum vs g.
Proof.
  intros H; replace 0 with (sum vs (fun _ => 0)); [now apply sum_le|].
  clear H; induction vs; simpl; lra.
Qed.

Lemma sum_map {V W} (f : V -> W) vs g : sum (map f vs) g = sum vs (fun v => g (f v)).
Proof. induction vs as [|v vs IH]; simpl; [reflexivity | now rewrite IH]. Qed.

Lemma sum_app {V} (vs ws : list V) g : sum (vs ++ ws) g = sum vs g + sum ws g.
Proof. induction vs as [|v vs IH]; simpl; [ring | rewrite IH; ring]. Qed.

(** Without repetitions, a part has at most the sum of the whole. *)
Lemma sum_incl {V} (vs ws : list V) g :
  NoDup vs -> incl vs ws -> (forall w, In w ws -> 0 <= g w) -> sum vs g <= sum ws g.
Proof.
  revert ws; induction vs as [|v vs IH]; intros ws Hn Hi Hg; [now apply sum_nonneg|].
  destruct (in_split v ws (Hi v (or_introl eq_refl))) as (l & r & ->).
  inversion Hn as [|? ? Hv Hn']; subst.
  assert (H : sum vs g <= sum (l ++ r) g).
  { apply IH; [exact Hn' | intros w Hw |].
    - destruct (in_app_or _ _ _ (Hi w (or_intror Hw))) as [H|[<-|H]]; apply in_or_app; tauto.
    - intros w Hw; apply Hg; apply in_app_or in Hw; apply in_or_app; simpl; tauto. }
  rewrite sum_app in *; simpl; lra.
Qed.

(** The law with weight [p v] for each [v] of the list. *)
Definition law {V} (vs : list V) (p : V -> R) : dist V := map (fun v => (v, p v)) vs.

Lemma expect_law {V} (vs : list V) p g : expect (law vs p) g = sum vs (fun v => p v * g v).
Proof. induction vs as [|v vs IH]; simpl; [reflexivity | now rewrite IH]. Qed.

(** ALIGN: the map of the samples is given as a list of pairs. Every sample has an image, no two pairs have
    the same image, and what the second run returns on the image is what the first one returns. *)
Theorem rule_align {V W A} eps (vs : list V) (ws : list W) (p1 : V -> R) (p2 : W -> R)
    (r1 : V -> A) (r2 : W -> A) (pairs : list (V * W)) :
  NoDup vs -> (forall v, In v vs -> In v (map fst pairs)) ->
  NoDup (map snd pairs) -> (forall v w, In (v, w) pairs -> In w ws) ->
  (forall w, In w ws -> 0 <= p2 w) ->
  (forall v w, In (v, w) pairs -> 0 <= p1 v <= exp eps * p2 w) ->
  (forall v w, In (v, w) pairs -> r2 w = r1 v) ->
  rel eps 0 (bind (law vs p1) (fun v => unit (r1 v))) (bind (law ws p2) (fun w => unit (r2 w))) eq.
Proof.
  intros Hvs Hcover Hinj Hws Hp2 Hp Hr E F HEF.
  unfold prob; rewrite !expect_bind, !expect_law, Rplus_0_r.
  set (g1 := fun v => p1 v * expect (unit (r1 v)) (fun a => flag (E a))).
  set (g2 := fun w => p2 w * expect (unit (r2 w)) (fun a => flag (F a))).
  assert (Hu : forall (G : A -> bool) a, expect (unit a) (fun a => flag (G a)) = flag (G a)).
  { intros G a; apply (prob_unit a G). }
  apply Rle_trans with (sum (map fst pairs) g1); [|apply Rle_trans with (exp eps * sum (map snd pairs) g2)].
  - apply sum_incl; [exact Hvs | exact Hcover |].
    intros v Hv; apply in_map_iff in Hv; destruct Hv as ([v' w] & <- & Hvw); unfold g1; rewrite Hu.
    apply Rmult_le_pos; [now apply (Hp v' w) | apply flag_range].
  - rewrite !sum_map; rewrite <- (Rplus_0_r (exp eps * _)).
    replace 0 with (sum pairs (fun _ => 0)) by (clear; induction pairs; simpl; lra).
    rewrite <- sum_linear; apply sum_le; intros [v w] Hvw; simpl; unfold g1, g2; rewrite !Hu.
    specialize (Hp v w Hvw); rewrite <- (Hr v w Hvw) in *.
    assert (flag (E (r2 w)) <= flag (F (r2 w))) by (apply flag_le; intros; now apply (HEF (r2 w))).
    pose proof (flag_range (E (r2 w))); pose proof (flag_range (F (r2 w))).
    apply Rle_trans with (exp eps * p2 w * flag (E (r2 w))); [apply Rmult_le_compat_r; lra|].
    rewrite <- Rmult_assoc, Rplus_0_r; apply Rmult_le_compat_l; lra.
  - apply Rmult_le_compat_l; [left; apply exp_pos|]; apply sum_incl; [exact Hinj | |].
    + intros w Hw; apply in_map_iff in Hw; destruct Hw as ([v w'] & <- & Hvw); now apply (Hws v).
    + intros w Hw; unfold g2; rewrite Hu; apply Rmult_le_pos; [now apply Hp2 | apply flag_range].
Qed.

(** RND-BIJ: a sample and its image under an injective map. *)
Theorem rule_rnd_bij {V} eps (vs : list V) (p1 p2 : V -> R) (f : V -> V) :
  NoDup vs -> (forall v w, In v vs -> In w vs -> f v = f w -> v = w) -> (forall v, In v vs -> In (f v) vs) ->
  (forall v, In v vs -> 0 <= p2 v) -> (forall v, In v vs -> p1 v <= exp eps * p2 (f v)) ->
  rel eps 0 (law vs p1) (law vs p2) (fun x y => y = f x).
Proof.
  intros Hvs Hinj Hf Hp2 Hp E F HEF; unfold prob; rewrite !expect_law, Rplus_0_r.
  apply Rle_trans with (exp eps * sum (map f vs) (fun w => p2 w * flag (F w))).
  - rewrite sum_map, <- (Rplus_0_r (exp eps * _)).
    replace 0 with (sum vs (fun _ => 0)) by (clear; induction vs; simpl; lra).
    rewrite <- sum_linear; apply sum_le; intros v Hv; rewrite Rplus_0_r, <- Rmult_assoc.
    pose proof (flag_range (E v)); pose proof (exp_pos eps); pose proof (Hp2 _ (Hf v Hv)).
    assert (flag (E v) <= flag (F (f v))) by (apply flag_le, HEF; reflexivity).
    apply Rle_trans with (exp eps * p2 (f v) * flag (E v)).
    + apply Rmult_le_compat_r; [lra | auto].
    + apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | assumption].
  - apply Rmult_le_compat_l; [left; apply exp_pos|]; apply sum_incl.
    + clear - Hvs Hinj; induction Hvs as [|v vs Hv Hvs IH]; simpl; constructor.
      * intros H; apply in_map_iff in H; destruct H as (w & Hw & Hin).
        assert (w = v) by (apply Hinj; simpl; auto); now subst.
      * apply IH; intros; apply Hinj; simpl; auto.
    + intros w Hw; apply in_map_iff in Hw; destruct Hw as (v & <- & Hv); auto.
    + intros w Hw; apply Rmult_le_pos; [auto | apply flag_range].
Qed.

(** PW-EQ: finitely many outputs, one by one, with slacks that add up. On an uncountable space it is unsound:
    each single output may have probability 0 in both runs. *)
Theorem rule_pw_eq {A} (eq_dec : forall a b : A, {a = b} + {a <> b}) eps (delta : A -> R) (outs : list A)
    (d1 d2 : dist A) :
  nonneg d1 -> nonneg d2 -> NoDup outs -> (forall a p, In (a, p) d1 -> In a outs) ->
  (forall e, In e outs -> 0 <= delta e) ->
  (forall e, In e outs -> rel eps (delta e) d1 d2 (fun a b => a = e -> b = e)) ->
  rel eps (sum outs delta) d1 d2 eq.
Proof.
  intros H1 H2 Hn Hin Hdelta H; apply rule_event; [exact H2 | intros E].
  pose (is := fun e a => if eq_dec a e then true else false).
  assert (Hsplit : forall d : dist A, (forall a p, In (a, p) d -> In a outs) ->
            prob d E = sum outs (fun e => flag (E e) * prob d (is e))).
  { clear - Hn; intros d Hin; induction d as [|[a p] d IH].
    - unfold prob; simpl; clear; induction outs as [|e outs IH]; simpl; [reflexivity | rewrite <- IH; ring].
    - assert (Ha : sum outs (fun e => flag (E e) * flag (is e a)) = flag (E a)).
      { specialize (Hin a p (or_introl eq_refl)); clear - Hn Hin.
        induction Hn as [|e outs He Hn IH]; [easy|].
        simpl; unfold is at 1; destruct Hin as [->|Hin].
        - destruct (eq_dec a a) as [_|]; [|easy].
          assert (Hz : sum outs (fun e => flag (E e) * flag (is e a)) = 0).
          { clear - He; induction outs as [|e outs IH]; simpl; [reflexivity|].
            unfold is at 1; destruct (eq_dec a e) as [->|]; [now destruct He; left|].
            simpl; rewrite IH; [ring | intros Hin; apply He; now right]. }
          rewrite Hz; simpl; ring.
        - rewrite IH by exact Hin; destruct (eq_dec a e) as [->|]; [easy | simpl; ring]. }
      change (p * flag (E a) + prob d E
              = sum outs (fun e => flag (E e) * (p * flag (is e a) + prob d (is e)))).
      rewrite IH by (intros; eapply Hin; right; eauto); rewrite <- Ha; clear.
      induction outs as [|e outs IH]; simpl; [ring | rewrite <- IH; ring]. }
  set (in2 := filter (fun ap => if in_dec eq_dec (fst ap) outs then true else false) d2).
  assert (Hin2 : forall F, prob in2 F <= prob d2 F).
  { intros F; unfold in2; clear - H2; induction H2 as [|[a p] d Hp Hd IH]; simpl in *; [apply Rle_refl|].
    pose proof (flag_range (F a)); pose proof (Rmult_le_pos _ _ Hp (proj1 H)).
    destruct (in_dec eq_dec a outs); unfold prob in *; simpl; lra. }
  assert (Heq2 : forall e, In e outs -> prob in2 (is e) = prob d2 (is e)).
  { intros e He; unfold in2; clear - He; induction d2 as [|[a p] d IH]; simpl; [reflexivity|].
    unfold prob in *; simpl; rewrite <- IH; unfold is at 2.
    destruct (in_dec eq_dec a outs) as [|Hna]; simpl; [reflexivity|].
    destruct (eq_dec a e) as [->|]; [now destruct Hna | simpl; ring]. }
  apply Rle_trans with (exp eps * prob in2 E + sum outs delta).
  - rewrite (Hsplit d1 Hin), (Hsplit in2).
    + rewrite <- sum_linear; apply sum_le; intros e He.
      rewrite (Heq2 e He); specialize (H e He (is e) (is e)).
      assert (Hm : maps_into (fun a b => a = e -> b = e) (is e) (is e)).
      { intros a b Hab; unfold is; destruct (eq_dec a e), (eq_dec b e); tauto. }
      specialize (H Hm); specialize (Hdelta e He); destruct (E e); simpl; lra.
    + intros a p Ha; unfold in2 in Ha; apply filter_In in Ha; simpl in Ha.
      destruct (in_dec eq_dec a outs); [assumption | easy].
  - apply Rplus_le_compat_r, Rmult_le_compat_l; [left; apply exp_pos | apply Hin2].
Qed.

(** * The papers' definitions *)

(** Definition 2: the eps-DP divergence of [mu1] from [mu2] is at most [delta]. *)
Definition divergence_at_most {A} (eps delta : R) (mu1 mu2 : dist A) : Prop :=
  forall E, prob mu1 E - exp eps * prob mu2 E <= delta.

(** Definition 3: two witnesses inside of the relation, with the given marginals and close to each other. *)
Definition lifting {A B} (eps delta : R) (mu1 : dist A) (mu2 : dist B) (Q : A -> B -> Prop) : Prop :=
  exists left right : dist (A * B),
    nonneg left /\ nonneg right /\
    (forall E, prob left (fun ab => E (fst ab)) = prob mu1 E) /\
    (forall F, prob right (fun ab => F (snd ab)) = prob mu2 F) /\
    (forall a b p, In ((a, b), p) left -> 0 < p -> Q a b) /\
    (forall a b p, In ((a, b), p) right -> 0 < p -> Q a b) /\
    divergence_at_most eps delta left right.

(** Definition 5: the eps-dilation is at most [delta]. That [y] is in [exp (- eps) * E] means that
    [exp eps * y] is in [E]. *)
Definition dilation_at_most (eps delta : R) (mu1 mu2 : dist R) : Prop :=
  forall E, prob mu1 E - exp eps * prob mu2 (fun y => E (exp eps * y)) <= delta.

(** A lifting implies the judgement. *)
Theorem lifting_rel {A B} eps delta (mu1 : dist A) (mu2 : dist B) Q :
  lifting eps delta mu1 mu2 Q -> rel eps delta mu1 mu2 Q.
Proof.
  intros (left & right & Hl & Hr & Ml & Mr & Ql & _ & Hdiv) E F HEF.
  rewrite <- Ml, <- Mr.
  apply Rle_trans with (prob left (fun ab => F (snd ab))).
  - apply prob_le; [exact Hl | intros [a b] p Hin Hp; apply HEF; eapply Ql; eauto].
  - specialize (Hdiv (fun ab => F (snd ab))); lra.
Qed.

(** A small dilation is the judgement for the relation of Theorem 1's witnesses. *)
Theorem dilation_rel eps delta (mu1 mu2 : dist R) :
  nonneg mu2 -> dilation_at_most eps delta mu1 mu2 -> rel eps delta mu1 mu2 (fun x y => y = exp (- eps) * x).
Proof.
  intros H2 H E F HEF; specialize (H E).
  assert (prob mu2 (fun y => E (exp eps * y)) <= prob mu2 F).
  { apply prob_le; [exact H2 | intros y p _ _; apply HEF].
    rewrite <- Rmult_assoc, <- exp_plus, Rplus_opp_l, exp_0; ring. }
  pose proof (Rmult_le_compat_l _ _ _ (Rlt_le _ _ (exp_pos eps)) H0); lra.
Qed.
