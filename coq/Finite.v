(** What certificates about finite mechanisms are written with.

    A certificate file defines a mechanism as a function from its inputs to a finite distribution, in the
    words of this file: [bernoulli], [sign], [choose], comparisons that are true or false, and [x <$ d ;; e]
    for a draw. Its proof has three kinds of parts. A lemma says that some constraints cannot hold together,
    because a sum of products of them is negative ([sum_refuted]). ALIGN and ENUMERATE compare two runs, path
    by path or output by output ([align], [enumerate]). *)

From Coq Require Import Reals ZArith Lra Lia List Bool.
From Flocq Require Raux.
From Lastbit Require Import Relational.
Import ListNotations.
Open Scope R_scope.

(** * The words of the language *)

(** [true] with probability [p]. *)
Definition bernoulli (p : R) : dist bool := [(true, p); (false, 1 - p)].

(** 1 or -1, equally likely. *)
Definition sign : dist R := [(1, 1 / 2); (-1, 1 / 2)].

Fixpoint numbered (i : Z) (total : R) (weights : list R) : dist R :=
  match weights with
  | [] => []
  | w :: rest => (IZR i, w / total) :: numbered (i + 1) total rest
  end.

(** The number [i], from 0, with a probability that is proportional to weight [i]. *)
Definition choose (weights : list R) : dist R := numbered 0 (fold_right Rplus 0 weights) weights.

Definition leb (x y : R) : bool := if Rle_dec x y then true else false.
Definition ltb (x y : R) : bool := if Rlt_dec x y then true else false.
Definition eqb (x y : R) : bool := if Req_EM_T x y then true else false.

Notation "x <$ d ;; e" := (bind d (fun x => e)) (at level 61, d at next level, right associativity).

(** No event is more than [c] times as likely in the first run. *)
Definition at_most {A} (c : R) (d1 d2 : dist A) : Prop := forall E, prob d1 E <= c * prob d2 E.

Lemma is_dist_bernoulli p : 0 <= p <= 1 -> is_dist (bernoulli p).
Proof.
  intros H; split; [repeat apply Forall_cons; simpl; try lra; constructor | unfold prob; simpl; ring].
Qed.

Lemma is_dist_sign : is_dist sign.
Proof. split; [repeat apply Forall_cons; simpl; try lra; constructor | unfold prob; simpl; lra]. Qed.

Lemma is_dist_choose ws : ws <> [] -> Forall (fun w => 0 < w) ws -> is_dist (choose ws).
Proof.
  intros Hne Hws; unfold choose.
  assert (Ht : 0 < fold_right Rplus 0 ws).
  { destruct Hws as [|w ws Hw Hws]; [easy | simpl].
    enough (0 <= fold_right Rplus 0 ws) by lra.
    clear - Hws; induction Hws; simpl; lra. }
  split.
  - assert (Hn : forall t i, 0 < t -> nonneg (numbered i t ws)); [|now apply Hn].
    clear - Hws; intros t i Ht; revert i.
    induction Hws as [|w ws Hw Hws IH]; intros i; simpl; constructor; [|apply IH].
    simpl; left; now apply Rdiv_lt_0_compat.
  - assert (Hs : forall t i, prob (numbered i t ws) (fun _ => true) = fold_right Rplus 0 ws / t).
    { clear; intros t; induction ws as [|w ws IH]; intros i; unfold prob in *; simpl; [|rewrite IH];
        unfold Rdiv; ring. }
    rewrite Hs; unfold Rdiv; apply Rinv_r; lra.
Qed.

(** * Lemmas: sums of products *)

Lemma weak a : 0 < a -> 0 <= a.
Proof. lra. Qed.

(** A product of constraints, *)
Lemma mul a b : 0 <= a -> 0 <= b -> 0 <= a * b.
Proof. apply Rmult_le_pos. Qed.

Lemma mul_strict a b : 0 < a -> 0 < b -> 0 < a * b.
Proof. apply Rmult_lt_0_compat. Qed.

(** times a positive number [n/d], *)
Lemma times (n d : positive) a : 0 <= a -> 0 <= IZR (Zpos n) / IZR (Zpos d) * a.
Proof.
  apply Rmult_le_pos; apply Rmult_le_pos; [now apply IZR_le|].
  left; apply Rinv_0_lt_compat; now apply IZR_lt.
Qed.

Lemma times_strict (n d : positive) a : 0 < a -> 0 < IZR (Zpos n) / IZR (Zpos d) * a.
Proof.
  apply Rmult_lt_0_compat; apply Rmult_lt_0_compat; [now apply IZR_lt|].
  apply Rinv_0_lt_compat; now apply IZR_lt.
Qed.

(** an equation times anything, *)
Lemma any q a : a = 0 -> 0 <= q * a.
Proof. intros ->; lra. Qed.

(** and their sum. *)
Lemma add a b : 0 <= a -> 0 <= b -> 0 <= a + b.
Proof. lra. Qed.

Lemma add_strict a b : 0 < a -> 0 <= b -> 0 < a + b.
Proof. lra. Qed.

(** What is not negative is not a negative number; *)
Lemma sum_refuted a c : 0 <= a -> a = - c -> 0 < c -> False.
Proof. lra. Qed.

(** what is positive is not 0 either. *)
Lemma sum_refuted_strict a : 0 < a -> a = 0 -> False.
Proof. lra. Qed.

(** * Axioms about exp and reciprocals *)

Lemma exp_tangent p : 0 <= exp p - p - 1.
Proof.
  destruct (Req_dec p 0) as [->|H]; [rewrite exp_0; lra | pose proof (exp_ineq1 p H); lra].
Qed.

(** If the sum of [left] is at most that of [right], then the product of their exponentials is, too. *)
Lemma exps_at_most (left right : list R) e :
  e <= 0 -> e = fold_right Rplus 0 left - fold_right Rplus 0 right ->
  0 <= fold_right Rmult 1 (map exp right) - fold_right Rmult 1 (map exp left).
Proof.
  assert (H : forall l, fold_right Rmult 1 (map exp l) = exp (fold_right Rplus 0 l)).
  { induction l as [|p l IH]; simpl; [now rewrite exp_0 | now rewrite IH, exp_plus]. }
  intros He ->; rewrite !H.
  pose proof (Raux.exp_le (fold_right Rplus 0 left) (fold_right Rplus 0 right)); lra.
Qed.

Lemma reciprocal p : 0 < p -> p * / p - 1 = 0.
Proof. intros H; rewrite Rinv_r; lra. Qed.

(** * ALIGN *)

(** A sample of weight [w1] of [t1] goes to one of weight [w2] of [t2]; [e] is the certificate's excess. *)
Lemma share_at_most cost w1 t1 w2 t2 s1 s2 e :
  - w1 <= 0 -> - t1 < 0 -> - t2 < 0 -> e <= 0 -> e = w1 * t2 - exp cost * (w2 * t1) ->
  s1 = w1 / t1 -> s2 = w2 / t2 -> 0 <= s1 <= exp cost * s2.
Proof.
  intros Hw Ht1 Ht2 He -> -> ->; split.
  - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
  - apply Rmult_le_reg_r with (t1 * t2); [apply Rmult_lt_0_compat; lra|].
    replace (w1 / t1 * (t1 * t2)) with (w1 * t2) by (field; lra).
    replace (exp cost * (w2 / t2) * (t1 * t2)) with (exp cost * (w2 * t1)) by (field; lra); lra.
Qed.

Lemma share_nonnegative w t s : - w <= 0 -> - t < 0 -> s = w / t -> 0 <= s.
Proof. intros Hw Ht ->; apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]. Qed.

(** No sample, *)
Lemma path_nil : 0 <= 1 <= exp 0 * 1.
Proof. rewrite exp_0; lra. Qed.

(** and one more: costs add. *)
Lemma path_cons c d a a' b b' :
  0 <= a <= exp c * a' -> 0 <= b <= exp d * b' -> 0 <= a * b <= exp (c + d) * (a' * b').
Proof.
  intros Ha Hb; split; [apply Rmult_le_pos; lra|].
  rewrite exp_plus; replace (exp c * exp d * (a' * b')) with (exp c * a' * (exp d * b')) by ring.
  apply Rmult_le_compat; lra.
Qed.

(** The costs of a path add up to at most the cost of all. *)
Lemma path_costs c cost e p q :
  e <= 0 -> e = c - cost -> 0 <= p <= exp c * q -> 0 <= p <= exp cost * q.
Proof.
  intros He -> Hp; split; [apply Hp|].
  assert (Hq : 0 <= q).
  { apply Rmult_le_reg_l with (exp c); [apply exp_pos | lra]. }
  apply Rle_trans with (exp c * q); [apply Hp | apply Rmult_le_compat_r; [exact Hq|]].
  apply Raux.exp_le; lra.
Qed.

(** Runs as lists of paths; the map takes a path, by its number, to a path. *)
Definition covers (n : nat) (pairs : list (nat * nat)) : bool :=
  forallb (fun i => existsb (fun ij => Nat.eqb (fst ij) i) pairs) (seq 0 n).

Fixpoint distinct (l : list nat) : bool :=
  match l with
  | [] => true
  | i :: rest => negb (existsb (Nat.eqb i) rest) && distinct rest
  end.

(** The images of 0, 1, ..., n - 1. *)
Definition is_permutation (n : nat) (images : list nat) : bool :=
  Nat.eqb (length images) n && distinct images && forallb (fun i => Nat.ltb i n) images.

Lemma distinct_NoDup l : distinct l = true -> NoDup l.
Proof.
  induction l as [|i l IH]; simpl; intros H; constructor; apply andb_prop in H; destruct H as [H Hl]; [|auto].
  intros Hin; assert (Hex : existsb (Nat.eqb i) l = true).
  { apply existsb_exists; exists i; split; [exact Hin | apply Nat.eqb_refl]. }
  now rewrite Hex in H.
Qed.

Lemma prob_rows {A} (rows : dist A) (r : A * R) E :
  prob rows E
  = prob (bind (law (seq 0 (length rows)) (fun i => snd (nth i rows r)))
               (fun i => unit (fst (nth i rows r)))) E.
Proof.
  unfold prob; rewrite expect_bind, expect_law.
  set (g := fun a => flag (E a)).
  assert (H : forall shown,
    sum (seq (length shown) (length rows))
        (fun i => snd (nth i (shown ++ rows) r) * expect (unit (fst (nth i (shown ++ rows) r))) g)
    = expect rows g).
  { induction rows as [|[a p] rows IH]; intros shown; [reflexivity | simpl].
    rewrite nth_middle; simpl; specialize (IH (shown ++ [(a, p)])).
    rewrite app_length, Nat.add_1_r, <- app_assoc in IH; simpl in IH; rewrite IH; ring. }
  symmetry; exact (H []).
Qed.

Theorem align {A} (a : A) cost (rows1 rows2 : dist A) (pairs : list (nat * nat)) :
  covers (length rows1) pairs = true -> distinct (map snd pairs) = true ->
  forallb (fun ij => Nat.ltb (snd ij) (length rows2)) pairs = true ->
  nonneg rows2 ->
  Forall (fun ij => let (a1, p1) := nth (fst ij) rows1 (a, 0) in let (a2, p2) := nth (snd ij) rows2 (a, 0) in
    a2 = a1 /\ 0 <= p1 <= exp cost * p2) pairs ->
  at_most (exp cost) rows1 rows2.
Proof.
  intros Hc Hd Hl H2 Hp E; rewrite (prob_rows rows1 (a, 0)), (prob_rows rows2 (a, 0)).
  rewrite <- (Rplus_0_r (exp cost * _)).
  assert (Hp' : forall i j, In (i, j) pairs -> fst (nth j rows2 (a, 0)) = fst (nth i rows1 (a, 0)) /\
            0 <= snd (nth i rows1 (a, 0)) <= exp cost * snd (nth j rows2 (a, 0))).
  { intros i j Hij; rewrite Forall_forall in Hp; specialize (Hp _ Hij); simpl in Hp.
    now destruct (nth i rows1 (a, 0)), (nth j rows2 (a, 0)). }
  assert (Hj : forall i j, In (i, j) pairs -> In j (seq 0 (length rows2))).
  { intros i j Hij; rewrite forallb_forall in Hl; specialize (Hl _ Hij); apply Nat.ltb_lt in Hl.
    apply in_seq; simpl in Hl; lia. }
  refine (rule_align cost _ _ _ _ _ _ pairs _ _ _ _ _ _ _ E E _).
  - apply seq_NoDup.
  - intros i Hi; unfold covers in Hc; rewrite forallb_forall in Hc; specialize (Hc i Hi).
    apply existsb_exists in Hc; destruct Hc as ([i' j] & Hin & Hi'); apply Nat.eqb_eq in Hi'; simpl in Hi'.
    subst i'; apply (in_map fst _ _ Hin).
  - now apply distinct_NoDup.
  - exact Hj.
  - intros j Hjn; apply in_seq in Hjn; unfold nonneg in H2; rewrite Forall_forall in H2.
    apply H2, nth_In; lia.
  - intros i j Hij; now apply (Hp' i j).
  - intros i j Hij; now apply (Hp' i j).
  - now intros b b' <-.
Qed.

(** * ENUMERATE *)

(** A table has the outputs, each with its probability in the two runs. *)
Theorem enumerate {A} c (rows1 rows2 : dist A) (table : list (A * (R * R))) :
  (forall E, prob rows1 E = sum table (fun row => fst (snd row) * flag (E (fst row)))) ->
  (forall E, prob rows2 E = sum table (fun row => snd (snd row) * flag (E (fst row)))) ->
  Forall (fun row => fst (snd row) <= c * snd (snd row)) table ->
  at_most c rows1 rows2.
Proof.
  intros H1 H2 Ht E; rewrite H1, H2, <- (Rplus_0_r (c * _)).
  replace 0 with (sum table (fun _ => 0)) by (clear; induction table; simpl; lra).
  rewrite <- sum_linear; apply sum_le; intros [a [p q]] Hin; simpl.
  rewrite Forall_forall in Ht; specialize (Ht _ Hin); simpl in Ht.
  rewrite Rplus_0_r, <- Rmult_assoc; apply Rmult_le_compat_r; [apply flag_range | exact Ht].
Qed.

(** The excess that the certificate refutes. *)
Lemma no_excess c p q e : e <= 0 -> e = p - c * q -> p <= c * q.
Proof. lra. Qed.

(** * From cases to the theorem *)

Lemma flag_is_true b : -1 + flag b = 0 -> b = true.
Proof. destruct b; simpl; [reflexivity | lra]. Qed.

Lemma flag_is_false b : flag b = 0 -> b = false.
Proof. destruct b; simpl; [lra | reflexivity]. Qed.

(** A larger cost than that of the proof. *)
Lemma at_most_weaken {A} eps eps' e (d1 d2 : dist A) :
  nonneg d2 -> e <= 0 -> e = eps - eps' -> at_most (exp eps) d1 d2 -> at_most (exp eps') d1 d2.
Proof.
  intros H2 He -> H E; eapply Rle_trans; [apply H|].
  apply Rmult_le_compat_r; [now apply prob_nonneg | apply Raux.exp_le; lra].
Qed.
