(** The rule of each operation, and the judgements of a whole program.

    `derive` is one line of the table of rules for each kind of operation; a rule that does not apply
    refuses (None), and so does one whose operand is refused. `runJ` goes through a program. Theorem
    derive_sound: what is derived holds, and p bounds the operation's own error. Theorem runJ_sound: so it
    does for all operations of a program, by induction. *)
From Coq Require Import Reals ZArith List FMapPositive Lra Lia Bool.
From Flocq Require Import Core BinarySingleNaN.
From Lastbit Require Import Program Dyadic Nearest Enclosure Libm Judgement RulesExact.
From Lastbit Require Export RulesRounded RulesLibrary.
Import ListNotations.
Open Scope R_scope.

Section Format.
Variables prec emax : Z.

(** The judgement of an operation, from those of earlier ones and the ranges of the inputs. *)
Definition derive (for_ln for_exp : accuracy) (kinds : list kind) (box : list itv)
    (env : PositiveMap.t judgement) (o : op) : option judgement :=
  let get a := PositiveMap.find a env in
  match o with
  | Input i => do k <- nth_error kinds i; do b <- nth_error box i; variable prec emax k b
  | Const q m e => constant prec emax q m e
  | Neg a => do j <- get a; Some (negated j)
  | Abs a => do j <- get a; Some (absolute j)
  | Add a b => do i <- get a; do j <- get b; sum prec emax i j
  | Sub a b => do i <- get a; do j <- get b; sum prec emax i (negated j)
  | Mul a b =>
      do i <- get a; do j <- get b;
      if Pos.eqb a b then square prec emax i else product prec emax i j
  | Div a b => do i <- get a; do j <- get b; quotient prec emax i j
  | Fma a b c => do i <- get a; do j <- get b; do l <- get c; fused prec emax (Pos.eqb a b) i j l
  | Sqrt a => do j <- get a; root prec emax j
  | Ln a => do j <- get a; logarithm prec emax for_ln j
  | Exp a => do j <- get a; exponential prec emax for_exp j
  | Min a b => do i <- get a; do j <- get b; Some (minimum i j)
  | Max a b => do i <- get a; do j <- get b; Some (maximum i j)
  | Clamp a b => do i <- get a; do j <- get b; clamp i j
  | Round a k t => do j <- get a; rounded prec emax j k t
  | Select c a b yes no =>
      do i <- get a; do j <- get b;
      match compare c (domain i) (domain j) with
      | Some true => do y <- get yes; Some (taken_over y)
      | Some false => do n <- get no; Some (taken_over n)
      | None => do y <- get yes; do n <- get no; Some (choice (is_exact i && is_exact j) y n)
      end
  end.

(** The judgements of operations number k and up; those refused have no entry. *)
Fixpoint runJ (for_ln for_exp : accuracy) (kinds : list kind) (box : list itv) (prog : program) (k : positive)
    (env : PositiveMap.t judgement) : PositiveMap.t judgement :=
  match prog with
  | [] => env
  | o :: prog =>
      let env := match derive for_ln for_exp kinds box env o with
        | Some j => PositiveMap.add k j env
        | None => env
        end in
      runJ for_ln for_exp kinds box prog (Pos.succ k) env
  end.
End Format.

(** The operations that an operation refers to. *)
Definition operands (o : op) : list positive := match o with
  | Input _ | Const _ _ _ => []
  | Neg a | Abs a | Sqrt a | Ln a | Exp a | Round a _ _ => [a]
  | Add a b | Sub a b | Mul a b | Div a b | Min a b | Max a b | Clamp a b => [a; b]
  | Fma a b c => [a; b; c]
  | Select _ a b yes no => [a; b; yes; no]
  end.

(** Operations, numbered from k, refer to earlier ones only. *)
Fixpoint well_formed (prog : program) (k : positive) : bool := match prog with
  | [] => true
  | o :: prog => forallb (fun a => Pos.ltb a k) (operands o) && well_formed prog (Pos.succ k)
  end.

(** * Soundness *)
Section Sound.
Context {prec emax : Z} {Hprec : Prec_gt_0 prec} {Hmax : Prec_lt_emax prec emax}.
Notation bfloat := (binary_float prec emax).

(** The inputs' values are of their kinds and lie in the box. *)
Definition in_box (kinds : list kind) (box : list itv) (xs : list R) (fs : list bfloat) : Prop :=
  forall i k b, nth_error kinds i = Some k -> nth_error box i = Some b ->
    is_value k (nth i xs 0) (nth i fs fzero) /\ isin (nth i xs 0) b.

(** Every judgement holds. *)
Definition all_hold (env : PositiveMap.t judgement) (envR : PositiveMap.t R)
    (envF : PositiveMap.t bfloat) : Prop :=
  forall a j, PositiveMap.find a env = Some j -> holds (getR envR a) (getF envF a) j.

(** Takes the judgement i of operation a, which holds. *)
Ltac have a i :=
  let K := fresh "K" in let A := fresh "A" in
  match goal with
  | H : all_hold ?env _ _, D : context [PositiveMap.find a ?env] |- _ =>
      destruct (PositiveMap.find a env) as [i|] eqn:K; [|discriminate]; assert (A := H a i K)
  end.

(** The judgement that is derived for an operation holds, and its p bounds the operation's own error: how
    far the float is from the exact operation on the operands' floats. *)
Theorem derive_sound lib for_ln for_exp kinds box xs fs env envR envF envV o j :
  meets lib for_ln for_exp -> in_box kinds box xs fs -> all_hold env envR envF ->
  (forall a, In a (operands o) -> getR envV a = B2R (getF envF a)) ->
  derive prec emax for_ln for_exp kinds box env o = Some j ->
  holds (stepR xs envR o) (stepF lib fs envF o) j /\
  Rabs (B2R (stepF lib fs envF o) - stepR xs envV o) <= V (p j).
Proof.
  intros L B H EV D. unfold stepR, stepF.
  destruct o as [i|q m e|a|a|a b|a b|a b|a b|a b c|a|a|a|a b|a b|a b|a k t|c a b yes no]; cbn [derive] in D;
    rewrite ?EV by (cbn; tauto).
  - destruct (nth_error kinds i) as [k|] eqn:K; [|discriminate].
    destruct (nth_error box i) as [b|] eqn:X; [|discriminate].
    destruct (B i k b K X) as [Y Z]. apply variable_sound with k b; assumption.
  - apply constant_sound, D.
  - have a i. injection D as <-. apply sound_exact; [apply negated_holds, A|reflexivity|apply B2R_Bopp].
  - have a i. injection D as <-. apply sound_exact; [apply absolute_holds, A|reflexivity|apply B2R_Babs].
  - have a i. have b j'. apply sum_sound with i j'; try assumption. apply Bplus_sum; [apply A|apply A0].
  - have a i. have b j'. unfold Rminus. rewrite <- B2R_Bopp.
    apply sum_sound with i (negated j'); try assumption.
    + apply negated_holds, A0.
    + apply Bminus_sum; [apply A|apply A0].
  - have a i. have b j'. destruct (Pos.eqb_spec a b) as [<-|].
    + apply square_sound with i; assumption.
    + apply product_sound with i j'; assumption.
  - have a i. have b j'. apply quotient_sound with i j'; assumption.
  - have a i. have b j'. have c l. apply fused_sound with (Pos.eqb a b) i j' l; try assumption.
    intros <-%Pos.eqb_eq. split; reflexivity.
  - have a i. apply root_sound with i; assumption.
  - have a i. apply logarithm_sound with for_ln for_exp i; assumption.
  - have a i. apply exponential_sound with for_ln for_exp i; assumption.
  - have a i. have b j'. injection D as <-. apply sound_exact; [apply minimum_holds; assumption| |].
    + unfold minimum, extremum. destruct (first_is_minimum i j') as [[|]|]; reflexivity.
    + apply minF_exact; [apply A|apply A0].
  - have a i. have b j'. injection D as <-. apply sound_exact; [apply maximum_holds; assumption| |].
    + unfold maximum, extremum. destruct (first_is_maximum i j') as [[|]|]; reflexivity.
    + apply maxF_exact; [apply A|apply A0].
  - have a i. have b j'. apply sound_exact; [apply clamp_holds with i j'; assumption| |].
    + revert D. unfold clamp. destruct (is_neg _); [discriminate|]. intros [= <-].
      unfold maximum, extremum. destruct (first_is_maximum _ _) as [[|]|]; reflexivity.
    + apply clampF_exact; [apply A|apply A0].
  - have a i. destruct (rounded_holds _ _ (flgrid lib k t (getF envF a)) _ _ _ _ A D) as [P E].
    + intros. apply (meets_grid lib for_ln for_exp L); [apply A|assumption|assumption].
    + apply sound_exact; [exact P| |exact E]. revert D. unfold rounded.
      destruct (_ || _)%bool; [discriminate|]. cbv zeta. destruct (may_overflow _ _); [discriminate|].
      intros [= <-]. reflexivity.
  - have a i. have b j'.
    assert (HF := holdsF_exact c (getF envF a) (getF envF b) (proj1 A) (proj1 A0)). rewrite HF.
    destruct (compare c (domain i) (domain j')) as [[|]|] eqn:C.
    + have yes y. injection D as <-.
      rewrite (compare_ok c _ _ true _ _ C (real_in_domain _ _ _ A) (real_in_domain _ _ _ A0)).
      rewrite (compare_ok c _ _ true _ _ C (float_in_domain _ _ _ A) (float_in_domain _ _ _ A0)).
      apply sound_exact; [apply taken_over_holds, A1|reflexivity|reflexivity].
    + have no n. injection D as <-.
      rewrite (compare_ok c _ _ false _ _ C (real_in_domain _ _ _ A) (real_in_domain _ _ _ A0)).
      rewrite (compare_ok c _ _ false _ _ C (float_in_domain _ _ _ A) (float_in_domain _ _ _ A0)).
      apply sound_exact; [apply taken_over_holds, A1|reflexivity|reflexivity].
    + have yes y. have no n. injection D as <-. apply sound_exact.
      * apply choice_holds; [exact A1|exact A2|]. intros [E1 E2]%andb_prop.
        rewrite (is_exact_ok _ _ _ A E1), (is_exact_ok _ _ _ A0 E2). reflexivity.
      * unfold choice. destruct (_ && _)%bool; reflexivity.
      * destruct (holdsR c _ _); reflexivity.
Qed.

(** * Programs *)

Lemma stepR_same xs env env' o : (forall a, In a (operands o) -> getR env a = getR env' a) ->
  stepR xs env o = stepR xs env' o.
Proof. intros H. destruct o; cbn [stepR]; rewrite ?H by (cbn; tauto); reflexivity. Qed.

Lemma getR_add k v env a : getR (PositiveMap.add k v env) a = if Pos.eqb a k then v else getR env a.
Proof.
  unfold getR. destruct (Pos.eqb_spec a k) as [->|N].
  - rewrite PositiveMap.gss. reflexivity.
  - rewrite PositiveMap.gso by exact N. reflexivity.
Qed.

Lemma getF_add k (v : bfloat) env a :
  getF (PositiveMap.add k v env) a = if Pos.eqb a k then v else getF env a.
Proof.
  unfold getF. destruct (Pos.eqb_spec a k) as [->|N].
  - rewrite PositiveMap.gss. reflexivity.
  - rewrite PositiveMap.gso by exact N. reflexivity.
Qed.

(** Later operations leave the values of earlier ones alone. *)
Lemma runR_earlier prog k xs env a : (a < k)%positive -> getR (runR prog k xs env) a = getR env a.
Proof.
  revert k env. induction prog as [|o prog IH]; intros k env A; [reflexivity|]. cbn [runR].
  rewrite IH by lia. rewrite getR_add. destruct (Pos.eqb_spec a k); [lia|reflexivity].
Qed.

Lemma runF_earlier lib prog k fs env a : (a < k)%positive -> getF (runF lib prog k fs env) a = getF env a.
Proof.
  revert k env. induction prog as [|o prog IH]; intros k env A; [reflexivity|]. cbn [runF].
  rewrite IH by lia. rewrite getF_add. destruct (Pos.eqb_spec a k); [lia|reflexivity].
Qed.

Lemma runJ_earlier for_ln for_exp kinds box prog k env a : (a < k)%positive ->
  PositiveMap.find a (runJ prec emax for_ln for_exp kinds box prog k env) = PositiveMap.find a env.
Proof.
  revert k env. induction prog as [|o prog IH]; intros k env A; [reflexivity|]. cbn [runJ].
  rewrite IH by lia. destruct (derive _ _ _ _ _ _ _ _); [|reflexivity]. apply PositiveMap.gso. lia.
Qed.

(** What is shown of a program's values, for its operations number k and up. *)
Lemma runJ_sound_from lib for_ln for_exp kinds box xs fs prog k env envR envF :
  meets lib for_ln for_exp -> in_box kinds box xs fs -> well_formed prog k = true ->
  all_hold env envR envF -> (forall a j, PositiveMap.find a env = Some j -> (a < k)%positive) ->
  let envJ' := runJ prec emax for_ln for_exp kinds box prog k env in
  let envR' := runR prog k xs envR in
  let envF' := runF lib prog k fs envF in
  all_hold envJ' envR' envF' /\
  forall n o j envV, (k <= n)%positive -> nth_error prog (Pos.to_nat n - Pos.to_nat k) = Some o ->
    PositiveMap.find n envJ' = Some j -> (forall a, getR envV a = B2R (getF envF' a)) ->
    getR envR' n = stepR xs envR' o /\ Rabs (B2R (getF envF' n) - stepR xs envV o) <= V (p j).
Proof.
  intros L B. revert k env envR envF. induction prog as [|o prog IH]; intros k env envR envF W H N.
  { split; [exact H|]. intros n o j envV _ E. destruct (Pos.to_nat n - Pos.to_nat k)%nat; discriminate E. }
  cbn [well_formed] in W. apply andb_prop in W as [O W]. rewrite forallb_forall in O.
  cbn [runJ runR runF].
  set (e := match derive _ _ _ _ _ _ _ _ with Some _ => _ | None => _ end).
  set (r := stepR xs envR o). set (f := stepF lib fs envF o).
  assert (D : forall j envV, derive prec emax for_ln for_exp kinds box env o = Some j ->
    (forall a, In a (operands o) -> getR envV a = B2R (getF envF a)) -> sound r f (stepR xs envV o) j).
  { intros j envV D E. apply derive_sound with for_ln for_exp kinds box env; assumption. }
  assert (H' : all_hold e (PositiveMap.add k r envR) (PositiveMap.add k f envF)).
  { intros a j E. rewrite getR_add, getF_add. unfold e in E.
    destruct (derive _ _ _ _ _ _ _ _) as [j'|] eqn:D'.
    - destruct (Pos.eqb_spec a k) as [->|A].
      + rewrite PositiveMap.gss in E. injection E as <-.
        apply (D j' (PositiveMap.map B2R envF) eq_refl). intros a _. unfold getR, getF.
        unfold PositiveMap.map. rewrite PositiveMap.gmapi. destruct (PositiveMap.find a envF); reflexivity.
      + rewrite PositiveMap.gso in E by exact A. apply H, E.
    - destruct (Pos.eqb_spec a k) as [->|A]; [|apply H, E]. apply N in E. lia. }
  assert (N' : forall a j, PositiveMap.find a e = Some j -> (a < Pos.succ k)%positive).
  { intros a j E. unfold e in E. destruct (derive _ _ _ _ _ _ _ _); [|apply N in E; lia].
    destruct (Pos.eqb_spec a k) as [->|A]; [lia|].
    rewrite PositiveMap.gso in E by exact A. apply N in E. lia. }
  destruct (IH _ _ _ _ W H' N') as [A T]. split; [exact A|]. intros n q j envV K E F G.
  destruct (Pos.eq_dec n k) as [->|NK].
  - rewrite Nat.sub_diag in E. injection E as <-.
    rewrite runJ_earlier in F by lia.
    rewrite runR_earlier, runF_earlier, getR_add, getF_add, Pos.eqb_refl by lia.
    assert (P : forall a, In a (operands o) -> (a < k)%positive) by (intros a I; apply Pos.ltb_lt, O, I).
    split.
    + apply stepR_same. intros a I. rewrite runR_earlier, getR_add by (apply P in I; lia).
      destruct (Pos.eqb_spec a k) as [->|]; [apply P in I; lia|reflexivity].
    + unfold e in F. destruct (derive _ _ _ _ _ _ _ _) as [j'|] eqn:D'; [|apply N in F; lia].
      rewrite PositiveMap.gss in F. injection F as <-. apply (D j' envV eq_refl). intros a I.
      rewrite G, runF_earlier, getF_add by (apply P in I; lia).
      destruct (Pos.eqb_spec a k) as [->|]; [apply P in I; lia|reflexivity].
  - apply T; try assumption; [lia|].
    replace (Pos.to_nat n - Pos.to_nat k)%nat with (S (Pos.to_nat n - Pos.to_nat (Pos.succ k))) in E by lia.
    exact E.
Qed.

(** All judgements of a program hold; every real value is the one of its operation on the program's real
    values, and every float is as far from that of its operation on the program's floats as the judgement
    says. *)
Theorem runJ_sound lib for_ln for_exp kinds box xs fs prog :
  meets lib for_ln for_exp -> in_box kinds box xs fs -> well_formed prog 1 = true ->
  let envJ := runJ prec emax for_ln for_exp kinds box prog 1 (PositiveMap.empty _) in
  let envR := runR prog 1 xs (PositiveMap.empty _) in
  let envF := runF lib prog 1 fs (PositiveMap.empty _) in
  all_hold envJ envR envF /\
  forall k o j envV, nth_error prog (Nat.pred (Pos.to_nat k)) = Some o -> PositiveMap.find k envJ = Some j ->
    (forall a, getR envV a = B2R (getF envF a)) ->
    getR envR k = stepR xs envR o /\ Rabs (B2R (getF envF k) - stepR xs envV o) <= V (p j).
Proof.
  intros L B W. destruct (runJ_sound_from lib for_ln for_exp kinds box xs fs prog 1 (PositiveMap.empty _)
    (PositiveMap.empty _) (PositiveMap.empty _) L B W) as [A S].
  - intros a j E. rewrite PositiveMap.gempty in E. discriminate.
  - intros a j E. rewrite PositiveMap.gempty in E. discriminate.
  - split; [exact A|]. intros k o j envV E F G. apply S; try assumption; [lia|].
    rewrite <- Nat.sub_1_r in E. exact E.
Qed.
End Sound.
