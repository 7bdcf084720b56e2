(** Tactics for certificates about finite mechanisms.

    A certificate file says which lemma shows which premise, and which numbers go where. The tactics do what
    is left: they compute the paths of a run from the text of the mechanism, compare two readings of the same
    expression, and put together what has been asserted. None of them looks for a proof of a premise. *)

From Coq Require Import Reals ZArith Lra Lia List Bool.
From Flocq Require Raux.
From Lastbit Require Import Relational Finite.
Import ListNotations.
Open Scope R_scope.

Arguments weak {a}.
Arguments mul {a b}.
Arguments mul_strict {a b}.
Arguments times n d {a}.
Arguments times_strict n d {a}.
Arguments any q {a}.
Arguments add {a b}.
Arguments add_strict {a b}.
Arguments sum_refuted {a}.
Arguments sum_refuted_strict {a}.
Arguments path_cons {c d a a' b b'}.

(** * Numbers and expressions *)

(** A comparison of numbers, without any hypothesis. *)
Ltac closed := clear; lra.

(** Divisors that are not zero, by what is known. *)
Ltac nonzero :=
  repeat split; try assumption;
  lazymatch goal with |- _ <> 0 => let X := fresh in intro X; lra end.

(** The identity of a lemma's sum. *)
Ltac identity := first [unfold Rdiv; ring | field; nonzero].

(** Makes arguments of [exp] and of reciprocals on the left the same as those on the right that are equal. *)
Ltac same_atoms :=
  unfold Rdiv;
  repeat match goal with
  | |- ?l = ?r =>
      match l with
      | context [exp ?a] =>
          lazymatch r with context [exp a] => fail | _ => idtac end;
          match r with context [exp ?b] => replace (exp a) with (exp b) by (apply (f_equal exp); ring) end
      end
  end;
  repeat match goal with
  | |- ?l = ?r =>
      match l with
      | context [/ ?a] =>
          lazymatch r with context [/ a] => fail | _ => idtac end;
          match r with context [/ ?b] => replace (/ a) with (/ b) by (apply (f_equal Rinv); ring) end
      end
  end.

(** Equality of two readings of the same expression. *)
Ltac quick_reading := first [reflexivity | unfold Rdiv; ring | same_atoms; ring].

Ltac same_reading :=
  first
    [ quick_reading
    | unfold Rdiv; field; nonzero
    | rewrite ?exp_0, ?exp_plus, ?exp_Ropp; same_atoms; first [ring | field; nonzero] ].

(** Equality of two polynomials in the same atoms. *)
Ltac same_polynomial := rewrite ?exp_0; first [ring | field; nonzero].

(** A hypothesis about an expression that is equal. *)
Lemma as_positive a b : 0 < a -> b = a -> 0 < b.
Proof. now intros H ->. Qed.
Lemma as_nonnegative a b : 0 <= a -> b = a -> 0 <= b.
Proof. now intros H ->. Qed.
Lemma as_zero a b : a = 0 -> b = a -> b = 0.
Proof. now intros H ->. Qed.
Lemma as_nonpositive a b : a <= 0 -> b = a -> b <= 0.
Proof. now intros H ->. Qed.
Lemma as_negative a b : a < 0 -> b = a -> b < 0.
Proof. now intros H ->. Qed.

Ltac is_nonpositive :=
  first [ closed
        | match goal with H : ?e <= 0 |- ?x <= 0 => apply (as_nonpositive e x H); solve [quick_reading] end
        | match goal with H : ?e <= 0 |- ?x <= 0 => apply (as_nonpositive e x H); solve [same_reading] end ].
Ltac is_negative :=
  first [ closed
        | match goal with H : ?e < 0 |- ?x < 0 => apply (as_negative e x H); solve [quick_reading] end
        | match goal with H : ?e < 0 |- ?x < 0 => apply (as_negative e x H); solve [same_reading] end ].

(** * Premises *)

(** The premise that a lemma of the certificate shows. *)
Ltac premise L :=
  lazymatch goal with
  | |- _ <= 0 => apply Rnot_lt_le; intro
  | |- _ < 0 => apply Rnot_le_lt; intro
  | |- _ <> 0 => intro
  | |- False => idtac
  end;
  apply L; first [assumption | nonzero].

(** The premise that no lemma shows. *)
Ltac no_lemma := fail 1 "the certificate has no lemma for this premise".

(** Axioms about [exp] and reciprocals, as the certificate writes their conclusions. *)
Ltac positive_by H := apply (as_positive _ _ H); same_reading.
Ltac nonnegative_by H := apply (as_nonnegative _ _ H); same_reading.

Ltac exps_by left right :=
  match goal with
  | H : ?e <= 0 |- _ =>
      apply (as_nonnegative _ _ (exps_at_most left right e H ltac:(cbn [fold_right]; solve [same_reading])));
      cbn [fold_right map]; solve [same_reading]
  end.

Lemma positive_divisor p : - p < 0 -> 0 < p.
Proof. lra. Qed.

Ltac reciprocal_by p :=
  apply (as_zero _ _ (reciprocal p (positive_divisor p ltac:(is_negative)))); same_reading.

Ltac reciprocal_positive_by p :=
  apply (as_positive _ _ (Rinv_0_lt_compat p (positive_divisor p ltac:(is_negative)))); same_reading.

(** * Runs *)

Lemma leb_true x y : x <= y -> leb x y = true.
Proof. unfold leb; destruct (Rle_dec x y); [reflexivity | contradiction]. Qed.
Lemma leb_false x y : y < x -> leb x y = false.
Proof. unfold leb; destruct (Rle_dec x y); [lra | reflexivity]. Qed.
Lemma ltb_true x y : x < y -> ltb x y = true.
Proof. unfold ltb; destruct (Rlt_dec x y); [reflexivity | contradiction]. Qed.
Lemma ltb_false x y : y <= x -> ltb x y = false.
Proof. unfold ltb; destruct (Rlt_dec x y); [lra | reflexivity]. Qed.
Lemma eqb_true x y : x = y -> eqb x y = true.
Proof. unfold eqb; destruct (Req_EM_T x y); [reflexivity | contradiction]. Qed.
Lemma eqb_false x y : x < y \/ y < x -> eqb x y = false.
Proof. unfold eqb; destruct (Req_EM_T x y); [lra | reflexivity]. Qed.

(** Decides comparisons of numbers, without any hypothesis. *)
Ltac decide_numbers :=
  repeat match goal with
  | |- context [leb ?x ?y] => first [rewrite (leb_true x y) by closed | rewrite (leb_false x y) by closed]
  | |- context [ltb ?x ?y] => first [rewrite (ltb_true x y) by closed | rewrite (ltb_false x y) by closed]
  | |- context [eqb ?x ?y] =>
      first [ rewrite (eqb_true x y) by closed
            | rewrite (eqb_false x y) by (left; closed)
            | rewrite (eqb_false x y) by (right; closed) ]
  end.

Ltac compute_run :=
  cbv beta iota zeta delta
    [bind scale unit flat_map map app fst snd bernoulli sign choose numbered fold_right
     Z.add Pos.add Pos.succ Pos.add_carry negb andb orb Bool.eqb].

(** What is returned: the same truth value, the same number, or a list of such. *)
Ltac same_output := first [reflexivity | same_reading | apply f_equal2; same_output].

(** The text of a run is computed, and compared with the list of its paths. *)
Ltac same_run :=
  compute_run; decide_numbers; compute_run; same_atoms;
  repeat lazymatch goal with
  | |- _ :: _ = _ :: _ => apply f_equal2; [apply f_equal2; [same_output | same_reading] |]
  | |- [] = [] => reflexivity
  end.

(** That a run is defined, draw by draw; each condition has been asserted. *)
Lemma as_nonzero a b : a <> 0 -> a = b -> b <> 0.
Proof. now intros H <-. Qed.

Ltac condition :=
  lazymatch goal with
  | |- ?x <> 0 =>
      first [ let H := fresh in intro H; revert H; closed
            | match goal with H : ?e <> 0 |- _ => apply (as_nonzero e x H); solve [same_reading] end ]
  | |- 0 <= ?x => apply Ropp_le_cancel; rewrite Ropp_0; is_nonpositive
  | |- 0 < ?x => apply Ropp_lt_cancel; rewrite Ropp_0; is_negative
  | |- ?x <= 1 => apply Rminus_le; is_nonpositive
  end.

Ltac is_defined :=
  cbv beta iota zeta delta [negb andb orb Bool.eqb]; decide_numbers;
  cbv beta iota zeta delta [negb andb orb Bool.eqb];
  lazymatch goal with
  | |- True => exact I
  | |- _ /\ _ => split; is_defined
  | |- forall _ : bool, _ => intros []; is_defined
  | |- forall _ : R, _ =>
      let x := fresh in let H := fresh in
      intros x H; repeat (destruct H as [-> | H]; [is_defined|]); subst x; is_defined
  | |- _ -> _ => let H := fresh in intros H; first [discriminate H | is_defined]
  | |- _ => condition
  end.

(** Where a mechanism is defined, it is a distribution. *)
Ltac in_support H := revert H; compute_run; cbn [In]; clear; intuition.

Ltac distribution :=
  intros;
  repeat match goal with H : _ /\ _ |- _ => destruct H end;
  let x := fresh "x" in let Hx := fresh in
  lazymatch goal with
  | |- is_dist (unit _) => apply is_dist_unit
  | |- is_dist (let _ := _ in _) => cbv zeta in *; distribution
  | |- is_dist (if ?c then _ else _) => destruct c; distribution
  | |- is_dist (bind (bernoulli _) _) =>
      apply is_dist_bind; [apply is_dist_bernoulli; split; assumption | intros x _];
      match goal with H : forall _ : bool, _ |- _ => specialize (H x) end; distribution
  | |- is_dist (bind sign _) =>
      apply is_dist_bind; [apply is_dist_sign | intros x Hx];
      match goal with H : forall _ : R, _ -> _ |- _ => specialize (H x ltac:(in_support Hx)) end; distribution
  | |- is_dist (bind (choose _) _) =>
      apply is_dist_bind;
      [ apply is_dist_choose; [discriminate | repeat (apply Forall_cons; [assumption|]); apply Forall_nil]
      | intros x Hx ];
      match goal with H : forall _ : R, _ -> _ |- _ => specialize (H x ltac:(in_support Hx)) end; distribution
  end.

(** * ENUMERATE and ALIGN *)

Ltac nonnegative_rows :=
  repeat apply Forall_cons; try apply Forall_nil; cbn [snd];
  repeat first [assumption | apply Rle_0_1 | apply Rmult_le_pos].

Ltac same_table := intros; unfold prob; cbn [expect sum fold_right fst snd]; same_polynomial.

Ltac no_excesses :=
  repeat apply Forall_cons; try apply Forall_nil; cbn [fst snd];
  first [ match goal with H : ?e <= 0 |- _ => apply (no_excess _ _ _ e H); solve [same_polynomial] end
        | apply Rmult_le_pos;
          [left; apply exp_pos | repeat first [assumption | apply Rplus_le_le_0_compat]] ].

Ltac share_nonnegative_by w t := apply (share_nonnegative w t); [is_nonpositive | is_negative | same_reading].

Ltac share_by w1 t1 w2 t2 e :=
  apply (share_at_most _ w1 t1 w2 t2 _ _ e);
  [is_nonpositive | is_negative | is_negative | assumption | same_polynomial | same_reading | same_reading].

Ltac path_by c e shares := apply (path_costs c _ e); [assumption | same_polynomial | exact shares].

Ltac aligned_rows :=
  repeat apply Forall_cons; try apply Forall_nil; cbn [nth fst snd]; (split; [reflexivity | assumption]).

(** From the cost of the proof to the claim. *)
Ltac weaken cost :=
  match goal with
  | H : ?e <= 0 |- _ =>
      apply (at_most_weaken cost _ e); [nonnegative_rows | exact H | solve [cbv delta; same_reading] |]
  end.

(** * Cases *)

Ltac conjuncts := repeat match goal with H : _ /\ _ |- _ => destruct H end.

(** A statement about all indices below [n], one by one. *)
Ltac instances H n :=
  lazymatch n with
  | O => clear H
  | S ?m => pose proof (H m ltac:(lia)); instances H m
  end.

(** Two neighbouring inputs fall into one of the cases. *)
Ltac neighbours :=
  repeat match goal with
  | H : forall i : nat, (i < ?n)%nat -> _ |- _ => instances H n
  | H : exists i : nat, _ |- _ => destruct H as [[|] H]
  | H : _ /\ _ |- _ => destruct H
  | H : _ \/ _ |- _ => destruct H
  | H : (S ?i < S ?n)%nat |- _ => apply Nat.succ_lt_mono in H; destruct i
  | H : (_ < 0)%nat |- _ => inversion H
  | H : _ <> _ -> _ |- _ => first [specialize (H ltac:(discriminate)) | clear H]
  | H : Rabs _ <= _ |- _ => apply Raux.Rabs_le_inv in H
  | H : Rabs _ < _ |- _ => apply Rabs_def2 in H
  | H : _ <> _ |- _ => apply Rdichotomy in H
  | |- context [flag ?b] => lazymatch b with true => fail | false => fail | _ => destruct b eqn:? end
  end;
  try congruence;
  cbn [flag] in *;
  let rec pick := first [solve [repeat split; lra] | left; pick | right; pick] in
  pick.
