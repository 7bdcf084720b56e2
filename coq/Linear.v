(** Linear forms: the second bound of the error of a program's result.

    The error of an operation is a combination of its operands' errors and of its own rounding error,
        f - r = S_1 (f_1 - r_1) + ... + S_n (f_n - r_n) + eps,   |eps| <= p,
    with slopes S_j that lie in known intervals. Going back from the result to the inputs, the error of the
    result is a sum of the operations' own errors, each with a coefficient that lies in a known interval. *)
From Coq Require Import Reals Lra Lia ZArith Bool List FMapPositive.
From Flocq Require Import Core BinarySingleNaN.
From Bignums Require Import BigZ.
From Lastbit Require Import RealRules Program Dyadic Nearest Enclosure Libm Judgement RulesExact Rules.
Import ListNotations.
Open Scope R_scope.

(** * Slopes *)

Definition zero := point dzero.
Definition one := point done.
Definition minus_one := point (dneg done).
Definition unit_itv := I dzero done.
Definition either_sign := I (dneg done) done.

(** Each operand that has a slope, and the interval of the slope. *)
Definition slope_list := list (positive * itv).

Definition abs_slope (i : itv) : itv :=
  if is_pos (lo i) then one else if is_neg (hi i) then minus_one else either_sign.

Definition select_slopes (first : option bool) (a b : positive) : slope_list :=
  match first with
  | Some true => [(a, one)]
  | Some false => [(b, one)]
  | None => [(a, unit_itv); (b, unit_itv)]
  end.

Definition product_slopes (a b : positive) (ja jb : judgement) : slope_list :=
  if Pos.eqb a b then [(a, iadd (float ja) (real ja))] else [(a, float jb); (b, real ja)].

Definition judgements := PositiveMap.t judgement.

(** The slopes of an operation with the judgement `own`; none for one whose whole error counts as its own.
    A quotient, root or logarithm that has a judgement passes the tests of its operand here. *)
Definition slopes (o : op) (own : judgement) (js : judgements) : option slope_list :=
  let of a := PositiveMap.find a js in
  match o with
  | Input _ | Const _ _ _ => Some []
  | Neg a => Some [(a, minus_one)]
  | Abs a => do ja <- of a; Some [(a, abs_slope (domain ja))]
  | Add a b => Some [(a, one); (b, one)]
  | Sub a b => Some [(a, one); (b, minus_one)]
  | Mul a b => do ja <- of a; do jb <- of b; Some (product_slopes a b ja jb)
  | Fma a b c => do ja <- of a; do jb <- of b; Some (product_slopes a b ja jb ++ [(c, one)])
  | Div a b =>
      do jb <- of b;
      if has_zero (domain jb) then None else
      do inverse <- outward_quotient one (float jb);
      Some [(a, inverse); (b, outward (ineg (imul (real own) inverse)))]
  | Sqrt a =>
      do ja <- of a;
      if is_neg (lo (domain ja)) then None else
      do root <- outward_root (float ja);
      do slope <- outward_quotient one (iadd root (real own));
      Some [(a, slope)]
  | Ln a =>
      do ja <- of a;
      if is_pos (lo (domain ja))
      then do slope <- outward_quotient one (domain ja); Some [(a, slope)] else None
  | Exp a =>
      do ja <- of a;
      let d := domain ja in
      if dle (dpow 11) (max_abs d) then None else
      do below <- exp_below (lo d); do above <- exp_above (hi d); Some [(a, I below above)]
  | Min a b => do ja <- of a; do jb <- of b; Some (select_slopes (first_is_minimum ja jb) a b)
  | Max a b => do ja <- of a; do jb <- of b; Some (select_slopes (first_is_maximum ja jb) a b)
  | Clamp a bound => Some [(a, unit_itv); (bound, either_sign)]
  | Round _ _ _ => None
  | Select c a b yes no =>
      do ja <- of a; do jb <- of b;
      match compare c (domain ja) (domain jb) with
      | None => if is_exact ja && is_exact jb then Some (select_slopes None yes no) else None
      | decided => Some (select_slopes decided yes no)
      end
  end.

(** v is a combination of the numbers e with slopes of the list. *)
Inductive combination (e : positive -> R) : slope_list -> R -> Prop :=
| no_slopes : combination e [] 0
| slope a S s l v : isin s S -> combination e l v -> combination e ((a, S) :: l) (s * e a + v).

(** * The linear form *)

(** The operations numbered from k to `last`, with their numbers, the last one first; then `before`. *)
Fixpoint back_from (last : positive) (prog : program) (k : positive) (before : list (positive * op)) :=
  match prog with
  | [] => before
  | o :: prog => if Pos.leb k last then back_from last prog (Pos.succ k) ((k, o) :: before) else before
  end.

Definition coefficients := PositiveMap.t itv.

Definition add_slope (c : itv) (C : coefficients) (s : positive * itv) : coefficients :=
  let (a, S) := s in
  let t := imul S c in
  PositiveMap.add a (match PositiveMap.find a C with Some c' => iadd c' t | None => t end) C.

Definition is_zero_itv (c : itv) : bool := is_zero (lo c) && is_zero (hi c).

(** From the last operation back to the first: the coefficients, and the bound. *)
Fixpoint linear (js : judgements) (ops : list (positive * op)) (C : coefficients) (E : dy)
  : option (coefficients * dy) :=
  match ops with
  | [] => Some (C, E)
  | (k, o) :: ops =>
      match PositiveMap.find k C with
      | None => linear js ops C E
      | Some c =>
          if is_zero_itv c then linear js ops C E else
          let c := coefficient c in
          let m := max_abs c in
          if dlt (dpow 4096) m then None else
          do j <- PositiveMap.find k js;
          match slopes o j js with
          | None => linear js ops (PositiveMap.add k c C) (up (dadd E (dmul m (d j))))
          | Some l =>
              linear js ops (PositiveMap.add k c (fold_left (add_slope c) l C)) (up (dadd E (dmul m (p j))))
          end
      end
  end.

(** The linear form of the error of the first of the operations. *)
Definition linear_form (js : judgements) (ops : list (positive * op)) : option (coefficients * dy) :=
  match ops with
  | [] => None
  | (k, _) :: _ => linear js ops (PositiveMap.add k one (PositiveMap.empty itv)) dzero
  end.

(** * Slopes are right *)

Lemma V_minus_one : V (dneg done) = -1.
Proof. rewrite V_neg, V_one. lra. Qed.

Ltac values := unfold isin, one, minus_one, unit_itv, either_sign, point; cbn [lo hi];
  rewrite ?V_minus_one, ?V_zero, ?V_one.

Lemma combination_1 e a S s v : isin s S -> v = s * e a -> combination e [(a, S)] v.
Proof. intros H ->. rewrite <- (Rplus_0_r (s * e a)). constructor; [exact H|constructor]. Qed.

Lemma combination_2 e a S s b T t v : isin s S -> isin t T -> v = s * e a + t * e b ->
  combination e [(a, S); (b, T)] v.
Proof. intros H G ->. constructor; [exact H|]. apply (combination_1 _ _ _ t); [exact G|reflexivity]. Qed.

Lemma combination_app e l v l' v' : combination e l v -> combination e l' v' ->
  combination e (l ++ l') (v + v').
Proof.
  intros H H'. induction H as [|a S s l v I _ IH]; cbn [app].
  - rewrite Rplus_0_l. exact H'.
  - rewrite Rplus_assoc. constructor; assumption.
Qed.

Lemma one_in : isin 1 one.
Proof. values. lra. Qed.

Lemma minus_one_in : isin (-1) minus_one.
Proof. values. lra. Qed.

Lemma Rmin_if x y : Rmin x y = if Rle_bool x y then x else y.
Proof. destruct (Rle_bool_spec x y); [apply Rmin_left|apply Rmin_right]; lra. Qed.

Lemma Rmax_if x y : Rmax x y = if Rle_bool y x then x else y.
Proof. destruct (Rle_bool_spec y x); [apply Rmax_left|apply Rmax_right]; lra. Qed.

Lemma decided i j v x y : compare LessOrEqual i j = Some v -> isin x i -> isin y j -> Rle_bool x y = v.
Proof. apply compare_ok. Qed.

Section Slopes.
(** The values of the real reading, and the real numbers that are the floats of the other one. *)
Variables (xs : list R) (er ef : PositiveMap.t R) (js : judgements).
Notation r := (getR er).
Notation f := (getR ef).
Notation e := (fun a => f a - r a).

Hypothesis known : forall a j, PositiveMap.find a js = Some j ->
  isin (r a) (real j) /\ isin (f a) (float j) /\ Rabs (f a - r a) <= V (d j).

Lemma in_domain a j : PositiveMap.find a js = Some j -> isin (r a) (domain j) /\ isin (f a) (domain j).
Proof.
  intros H. destruct (known a j H) as (R & F & _). split; [apply isin_hull_l|apply isin_hull_r]; assumption.
Qed.

Lemma exact_same a j : PositiveMap.find a js = Some j -> is_exact j = true -> f a = r a.
Proof.
  intros H X. destruct (known a j H) as (_ & _ & D). unfold is_exact in X.
  destruct (is_zero_spec (d j)) as [Z|Z]; [|discriminate]. rewrite Z in D.
  assert (P := Rabs_pos (f a - r a)). destruct (Rcase_abs (f a - r a)) as [N|N];
    [rewrite Rabs_left in * by lra|rewrite Rabs_right in * by lra]; lra.
Qed.

Lemma product_slopes_ok a b ja jb : PositiveMap.find a js = Some ja -> PositiveMap.find b js = Some jb ->
  combination e (product_slopes a b ja jb) (f a * f b - r a * r b).
Proof.
  intros Ha Hb. destruct (known _ _ Ha) as (Ra & Fa & _), (known _ _ Hb) as (Rb & Fb & _).
  unfold product_slopes. destruct (Pos.eqb_spec a b) as [<-|N].
  - apply combination_1 with (s := f a + r a); [apply isin_add; assumption|apply slope_square].
  - eapply combination_2; [exact Fb|exact Ra|apply slope_mul].
Qed.

Lemma select_ok (first : option bool) (c : bool) a b : match first with Some v => c = v | None => True end ->
  combination e (select_slopes first a b) ((if c then f a else f b) - (if c then r a else r b)).
Proof.
  destruct first as [[|]|]; cbn [select_slopes]; [intros ->|intros ->|intros _].
  - apply combination_1 with (s := 1); [apply one_in|lra].
  - apply combination_1 with (s := 1); [apply one_in|lra].
  - destruct (slope_select c (f a) (r a) (f b) (r b)) as (s & t & S & T & ->).
    apply combination_2 with (s := s) (t := t); [values; lra|values; lra|reflexivity].
Qed.

(** The exact operation on the floats and the one on the real values differ by a combination of the operands'
    errors. *)
Theorem slopes_sound o own l : isin (stepR xs er o) (real own) -> slopes o own js = Some l ->
  combination e l (stepR xs ef o - stepR xs er o).
Proof.
  intros own_in. destruct o; cbn [slopes stepR];
    repeat match goal with
    | |- context [PositiveMap.find ?a js] => let H := fresh "J" in
        destruct (PositiveMap.find a js) eqn:H; [|discriminate]
    end.
  - intros [= <-]. rewrite Rminus_diag_eq by reflexivity. constructor.
  - intros [= <-]. rewrite Rminus_diag_eq by reflexivity. constructor.
  - intros [= <-]. eapply combination_1; [apply minus_one_in|]. lra.
  - intros [= <-]. destruct (in_domain _ _ J) as ((L & U) & (L' & U')). unfold abs_slope.
    destruct (is_pos_spec (lo (domain j))) as [P|P]; [|destruct (is_neg_spec (hi (domain j))) as [N|N]].
    + eapply combination_1; [apply one_in|]. apply slope_abs_pos; lra.
    + eapply combination_1; [apply minus_one_in|]. apply slope_abs_neg; lra.
    + destruct (slope_abs (f a) (r a)) as (s & S & ->).
      apply combination_1 with (s := s); [values; lra|reflexivity].
  - intros [= <-]. eapply combination_2; [apply one_in|apply one_in|]. lra.
  - intros [= <-]. eapply combination_2; [apply one_in|apply minus_one_in|]. lra.
  - intros [= <-]. apply product_slopes_ok; assumption.
  - destruct (has_zero _) eqn:Z; [discriminate|].
    destruct (outward_quotient _ _) as [inverse|] eqn:Q; [|discriminate]. intros [= <-].
    destruct (known _ _ J) as (_ & F & _). destruct (in_domain _ _ J) as (R' & F').
    apply has_zero_false in R'; [|exact Z]. apply has_zero_false in F'; [|exact Z].
    assert (I : isin (/ f b) inverse).
    { replace (/ f b) with (1 / f b) by lra. eapply isin_quotient; eauto using one_in. }
    eapply combination_2; [exact I| |apply slope_div; assumption].
    apply isin_outward, isin_neg, isin_mul; assumption.
  - intros [= <-].
    replace (f a * f b + f c - (r a * r b + r c)) with ((f a * f b - r a * r b) + (1 * (f c - r c))) by lra.
    apply combination_app; [apply product_slopes_ok; assumption|].
    eapply combination_1; [apply one_in|reflexivity].
  - destruct (is_neg_spec (lo (domain j))) as [N|N]; [discriminate|].
    destruct (outward_root _) as [root|] eqn:Q; [|discriminate].
    destruct (outward_quotient _ _) as [s|] eqn:S; [|discriminate]. intros [= <-].
    destruct (known _ _ J) as (_ & F & _). destruct (in_domain _ _ J) as ((L & _) & (L' & _)).
    assert (D : isin (sqrt (f a) + sqrt (r a)) (iadd root (real own))).
    { apply isin_add; [eapply isin_root; eassumption|exact own_in]. }
    apply combination_1 with (s := 1 / (sqrt (f a) + sqrt (r a))).
    { eapply isin_quotient; eauto using one_in. }
    assert (Pf := sqrt_pos (f a)). assert (Pr := sqrt_pos (r a)).
    destruct (Rle_lt_or_eq_dec 0 (sqrt (f a) + sqrt (r a)) ltac:(lra)) as [P|Z].
    + rewrite slope_sqrt by lra. lra.
    + assert (Hf : f a = 0) by (apply sqrt_eq_0; lra). assert (Hr : r a = 0) by (apply sqrt_eq_0; lra).
      rewrite Hf, Hr. lra.
  - destruct (is_pos_spec (lo (domain j))) as [P|P]; [|discriminate].
    destruct (outward_quotient _ _) as [S|] eqn:Q; [|discriminate]. intros [= <-].
    destruct (in_domain _ _ J) as ((L & U) & (L' & U')).
    destruct (slope_ln (f a) (r a) (Rmin (f a) (r a)) (Rmax (f a) (r a))) as (s & (s1 & s2) & ->).
    + apply Rmin_glb_lt; lra.
    + split; [apply Rmin_l|apply Rmax_l].
    + split; [apply Rmin_r|apply Rmax_r].
    + apply combination_1 with (s := s); [|reflexivity].
      assert (A : isin (1 / Rmin (f a) (r a)) S).
      { eapply isin_quotient; eauto using one_in. unfold Rmin. destruct (Rle_dec _ _); split; lra. }
      assert (B : isin (1 / Rmax (f a) (r a)) S).
      { eapply isin_quotient; eauto using one_in. unfold Rmax. destruct (Rle_dec _ _); split; lra. }
      destruct A, B. split; lra.
  - destruct (dle _ _); [discriminate|]. destruct (exp_below _) as [below|] eqn:B; [|discriminate].
    destruct (exp_above _) as [above|] eqn:A; [|discriminate]. intros [= <-].
    apply exp_below_le in B. apply exp_above_ge in A. destruct (in_domain _ _ J) as (L & L').
    destruct (slope_exp (f a) (r a) _ _ L' L) as (s & S & ->).
    apply combination_1 with (s := s); [split; cbn [lo hi]; lra|reflexivity].
  - intros [= <-]. destruct (in_domain _ _ J) as (Ra & Fa), (in_domain _ _ J0) as (Rb & Fb).
    destruct (first_is_minimum _ _) as [v|] eqn:C.
    + rewrite !Rmin_if, (decided _ _ _ _ _ C Ra Rb), (decided _ _ _ _ _ C Fa Fb).
      apply (select_ok (Some v)). reflexivity.
    + destruct (slope_min (f a) (r a) (f b) (r b)) as (t & T & ->).
      apply combination_2 with (s := t) (t := 1 - t); [values; lra|values; lra|reflexivity].
  - intros [= <-]. destruct (in_domain _ _ J) as (Ra & Fa), (in_domain _ _ J0) as (Rb & Fb).
    destruct (first_is_maximum _ _) as [v|] eqn:C.
    + rewrite !Rmax_if, (decided _ _ _ _ _ C Rb Ra), (decided _ _ _ _ _ C Fb Fa).
      apply (select_ok (Some v)). reflexivity.
    + destruct (slope_max (f a) (r a) (f b) (r b)) as (t & T & ->).
      apply combination_2 with (s := t) (t := 1 - t); [values; lra|values; lra|reflexivity].
  - intros [= <-]. destruct (slope_clamp (f a) (r a) (f bound) (r bound)) as (s & t & S & T & E).
    rewrite !clampR_eq, E.
    apply combination_2 with (s := s) (t := t); [values; lra|values; lra|reflexivity].
  - discriminate.
  - destruct (in_domain _ _ J) as (Ra & Fa), (in_domain _ _ J0) as (Rb & Fb).
    destruct (compare _ _ _) as [v|] eqn:C.
    + intros [= <-]. rewrite (compare_ok _ _ _ _ _ _ C Ra Rb), (compare_ok _ _ _ _ _ _ C Fa Fb).
      apply (select_ok (Some v)). reflexivity.
    + destruct (is_exact j && is_exact j0) eqn:X; [|discriminate]. intros [= <-].
      apply andb_prop in X. destruct X as (X & X0).
      rewrite (exact_same _ _ J X), (exact_same _ _ J0 X0). apply (select_ok None). exact Logic.I.
Qed.
End Slopes.

(** * The linear form is right *)

(** The sum of c*e over the operations. *)
Fixpoint total (c e : positive -> R) (ops : list (positive * op)) : R :=
  match ops with [] => 0 | (k, _) :: ops => c k * e k + total c e ops end.

(** The numbers run from some k down to 1. *)
Fixpoint descending (ops : list (positive * op)) : Prop :=
  match ops with
  | [] => True
  | (k, _) :: ops => (forall a, In a (map fst ops) <-> (a < k)%positive) /\ descending ops
  end.

Lemma back_from_descending last prog : forall k before,
  (forall a, In a (map fst before) <-> (a < k)%positive) -> descending before ->
  descending (back_from last prog k before).
Proof.
  induction prog as [|o prog IH]; intros k before B D; cbn [back_from]; [exact D|].
  destruct (Pos.leb k last); [|exact D]. apply IH; [|split; assumption].
  intros a. cbn [map fst In]. rewrite B. lia.
Qed.

Definition coefficient_of (C : coefficients) (k : positive) : itv :=
  match PositiveMap.find k C with Some c => c | None => zero end.

Definition update (c : positive -> R) (a : positive) (x : R) : positive -> R :=
  fun k => if Pos.eqb k a then x else c k.

Lemma total_update_other c e a x ops : ~ In a (map fst ops) -> total (update c a x) e ops = total c e ops.
Proof.
  induction ops as [|(k, o) ops IH]; intros N; cbn [total]; [reflexivity|]. cbn [map fst In] in N.
  rewrite IH by tauto. unfold update. destruct (Pos.eqb_spec k a); [tauto|reflexivity].
Qed.

Lemma total_update c e a x ops : descending ops -> In a (map fst ops) ->
  total (update c a (c a + x)) e ops = total c e ops + x * e a.
Proof.
  induction ops as [|(k, o) ops IH]; intros D H; cbn [total]; [contradiction|].
  destruct D as (K & D). destruct H as [E|H]; cbn [fst] in *.
  - subst a. rewrite total_update_other by (rewrite K; lia). unfold update. rewrite Pos.eqb_refl. lra.
  - rewrite (IH D H). unfold update. destruct (Pos.eqb_spec k a) as [->|_]; [apply K in H; lia|lra].
Qed.

Lemma add_slopes_sound e k ops C x l v : descending ops -> combination e l v ->
  Forall (fun s => In (fst s) (map fst ops)) l ->
  isin x k -> forall c, (forall a, isin (c a) (coefficient_of C a)) ->
  exists c', (forall a, isin (c' a) (coefficient_of (fold_left (add_slope k) l C) a)) /\
    total c' e ops = total c e ops + x * v.
Proof.
  intros D H. revert C. induction H as [|a S s l v s_in H IH]; intros C B x_in c c_in; cbn [fold_left].
  - exists c. split; [exact c_in|lra].
  - inversion B as [|? ? B1 B2]; subst. cbn [fst] in B1.
    destruct (IH (add_slope k C (a, S)) B2 x_in (update c a (c a + s * x))) as (c' & c'_in & T).
    + intros b. specialize (c_in b). unfold coefficient_of, add_slope, update in *.
      destruct (Pos.eqb_spec b a) as [->|N].
      * rewrite PositiveMap.gss. destruct (PositiveMap.find a C) as [c0|].
        -- apply isin_add; [exact c_in|apply isin_mul; assumption].
        -- replace (c a + s * x) with (s * x); [apply isin_mul; assumption|].
           unfold isin, zero, point in c_in. cbn in c_in. rewrite V_zero in c_in. lra.
      * rewrite PositiveMap.gso by exact N. exact c_in.
    + exists c'. split; [exact c'_in|]. rewrite T, total_update by assumption. lra.
Qed.

(** What the linear form needs to know of the operations' errors e. *)
Definition explained (js : judgements) (e : positive -> R) (ops : list (positive * op)) : Prop :=
  forall k o j, In (k, o) ops -> PositiveMap.find k js = Some j ->
    Rabs (e k) <= V (d j) /\
    forall l, slopes o j js = Some l -> Forall (fun s => (fst s < k)%positive) l /\
      exists v, combination e l v /\ Rabs (e k - v) <= V (p j).

Lemma linear_sound js e y ops : explained js e ops -> descending ops ->
  forall C E c C' E', (forall a, isin (c a) (coefficient_of C a)) -> Rabs (y - total c e ops) <= V E ->
  linear js ops C E = Some (C', E') -> Rabs y <= V E'.
Proof.
  induction ops as [|(k, o) ops IH]; intros X D C E c C' E' c_in B; cbn [linear].
  - intros [= <- <-]. cbn [total] in B. rewrite Rminus_0_r in B. exact B.
  - destruct D as (K & D). cbn [total] in B.
    assert (X' : explained js e ops) by (intros k' o' j' H'; apply X; right; exact H').
    assert (skip : c k = 0 -> linear js ops C E = Some (C', E') -> Rabs y <= V E').
    { intros Z. apply (IH X' D C E c); [exact c_in|]. rewrite Z in B.
      revert B. apply Rle_trans, Req_le. f_equal. lra. }
    assert (k_in := c_in k). unfold coefficient_of in k_in.
    destruct (PositiveMap.find k C) as [c0|] eqn:F.
    2: { apply skip. unfold isin, zero, point in k_in. cbn in k_in. rewrite V_zero in k_in. lra. }
    destruct (is_zero_itv c0) eqn:Z.
    { apply skip. unfold is_zero_itv in Z. unfold isin in k_in.
      destruct (is_zero_spec (lo c0)), (is_zero_spec (hi c0)); try discriminate. lra. }
    apply isin_coefficient in k_in. set (c1 := coefficient c0) in *. cbv zeta.
    destruct (dlt _ _); [discriminate|]. destruct (PositiveMap.find k js) as [j|] eqn:Fj; [|discriminate].
    destruct (X k o j (or_introl eq_refl) Fj) as (Xd & Xs).
    assert (M := max_abs_ge _ _ k_in).
    assert (step : forall c' C1 own v, (forall a, isin (c' a) (coefficient_of C1 a)) ->
      total c' e ops = total c e ops + c k * v -> Rabs (e k - v) <= V own ->
      linear js ops (PositiveMap.add k c1 C1) (up (dadd E (dmul (max_abs c1) own))) = Some (C', E') ->
      Rabs y <= V E').
    { intros c' C1 own v c'_in T V1. apply (IH X' D _ _ (update c' k (c k))).
      - intros a. unfold coefficient_of, update. destruct (Pos.eqb_spec a k) as [->|N];
          [rewrite PositiveMap.gss; exact k_in|rewrite PositiveMap.gso by exact N; apply c'_in].
      - eapply Rle_trans; [|apply up_ge]. rewrite V_add, V_mul.
        rewrite total_update_other, T by (rewrite K; lia).
        replace (y - (total c e ops + c k * v)) with
          ((y - (c k * e k + total c e ops)) + c k * (e k - v)) by ring.
        eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [exact B|]. rewrite Rabs_mult.
        apply Rmult_le_compat; trivial using Rabs_pos. }
    destruct (slopes o j js) as [l|] eqn:S.
    + destruct (Xs l eq_refl) as (Before & v & V1 & V2).
      destruct (add_slopes_sound e c1 ops C (c k) l v D V1) with (c := c) as (c' & c'_in & T); trivial.
      { revert Before. apply Forall_impl. intros s. apply K. }
      exact (step c' _ _ v c'_in T V2).
    + apply (step c _ _ 0 c_in); [lra|]. rewrite Rminus_0_r. exact Xd.
Qed.

Lemma total_0 e ops : total (fun _ => 0) e ops = 0.
Proof. induction ops as [|(k, o) ops IH]; cbn [total]; [|rewrite IH]; lra. Qed.

Lemma linear_form_sound js e k o ops C E : explained js e ((k, o) :: ops) -> descending ((k, o) :: ops) ->
  linear_form js ((k, o) :: ops) = Some (C, E) -> Rabs (e k) <= V E.
Proof.
  intros X D. apply (linear_sound js e _ _ X D) with (c := update (fun _ => 0) k (0 + 1)).
  - intros a. unfold coefficient_of, update. destruct (Pos.eqb_spec a k) as [->|N].
    + rewrite PositiveMap.gss. values. lra.
    + rewrite PositiveMap.gso, PositiveMap.gempty by exact N. unfold zero. values. lra.
  - rewrite (total_update (fun _ => 0)), total_0 by (exact D || left; reflexivity).
    rewrite V_zero, Rabs_pos_eq; lra.
Qed.

(** * Programs *)

Lemma back_from_in last prog : forall k before k' o,
  In (k', o) (back_from last prog k before) -> In (k', o) before \/
    exists n, Pos.to_nat k' = (Pos.to_nat k + n)%nat /\ nth_error prog n = Some o.
Proof.
  induction prog as [|o' prog IH]; intros k before k' o; cbn [back_from]; [tauto|].
  destruct (Pos.leb k last); [|tauto]. intros [[[= <- <-]|H]|(n & K & N)]%IH.
  - right. exists O. split; [lia|reflexivity].
  - left. exact H.
  - right. exists (S n). split; [lia|exact N].
Qed.

Lemma well_formed_operands prog : forall k n o, well_formed prog k = true -> nth_error prog n = Some o ->
  forall a, In a (operands o) -> (Pos.to_nat a < Pos.to_nat k + n)%nat.
Proof.
  induction prog as [|o' prog IH]; intros k [|n] o W N a A; cbn in W, N; try discriminate;
    apply andb_prop in W; destruct W as (W & W').
  - injection N as ->. rewrite forallb_forall in W. apply W in A. apply Pos.ltb_lt in A. lia.
  - specialize (IH _ _ _ W' N a A). lia.
Qed.

Lemma slopes_operands o own js l s : slopes o own js = Some l -> In s l -> In (fst s) (operands o).
Proof.
  unfold slopes, product_slopes, select_slopes.
  destruct o; intros H I;
    repeat match type of H with
    | context [match ?x with _ => _ end] => destruct x; try discriminate
    end; try discriminate; injection H as <-; cbn in I |- *;
    repeat match type of I with _ \/ _ => destruct I as [<-|I]; [cbn; tauto|] end; contradiction.
Qed.

Section Program.
Context {prec emax : Z} {Hprec : Prec_gt_0 prec} {Hmax : Prec_lt_emax prec emax}.

Lemma getR_B2R (env : PositiveMap.t (binary_float prec emax)) a :
  getR (PositiveMap.map B2R env) a = B2R (getF env a).
Proof.
  unfold getR, getF, PositiveMap.map. rewrite PositiveMap.gmapi.
  destruct (PositiveMap.find a env); reflexivity.
Qed.

(** The linear form bounds the error of the result. *)
Theorem linear_error lib for_ln for_exp kinds box xs fs prog result C E ops :
  meets lib for_ln for_exp -> in_box kinds box xs fs -> well_formed prog 1 = true ->
  back_from result prog 1 [] = ops -> hd_error (map fst ops) = Some result ->
  linear_form (runJ prec emax for_ln for_exp kinds box prog 1 (PositiveMap.empty _)) ops = Some (C, E) ->
  Rabs (B2R (float_value lib prog result fs) - real_value prog result xs) <= V E.
Proof.
  intros M B W Ops First L.
  destruct (runJ_sound lib for_ln for_exp kinds box xs fs prog M B W) as (Hold & Own).
  revert Hold Own L. unfold float_value, real_value.
  set (js := runJ _ _ _ _ _ _ _ _ _). set (er := runR _ _ _ _). set (fl := runF _ _ _ _ _).
  set (ef := PositiveMap.map B2R fl). cbv zeta. intros Hold Own L.
  assert (known : forall a j, PositiveMap.find a js = Some j ->
    isin (getR er a) (real j) /\ isin (getR ef a) (float j) /\ Rabs (getR ef a - getR er a) <= V (d j)).
  { intros a j H. apply Hold in H. unfold ef. rewrite getR_B2R. unfold holds in H. tauto. }
  set (e := fun a => getR ef a - getR er a).
  assert (X : explained js e ops).
  { intros k o j I F. split; [apply (known k j F)|]. intros l S.
    rewrite <- Ops in I. apply back_from_in in I. destruct I as [[]|(n & K & N)].
    split.
    - apply Forall_forall. intros s H. apply (slopes_operands _ _ _ _ _ S) in H.
      apply (well_formed_operands _ _ _ _ W N) in H. lia.
    - assert (N' : nth_error prog (Nat.pred (Pos.to_nat k)) = Some o) by (rewrite K; exact N).
      destruct (Own k o j ef N' F (getR_B2R fl)) as (R & P).
      exists (stepR xs ef o - stepR xs er o). split.
      + apply (slopes_sound xs er ef js known o j l); [|exact S]. rewrite <- R. apply (known k j F).
      + unfold e, ef. rewrite getR_B2R, R. revert P. apply Rle_trans, Req_le. f_equal. unfold ef. ring. }
  assert (D : descending ops).
  { rewrite <- Ops. apply back_from_descending; [|exact Logic.I]. intros a. cbn. lia. }
  destruct ops as [|(k, o) ops]; [discriminate|]. injection First as ->.
  rewrite <- (getR_B2R fl). exact (linear_form_sound js e _ _ _ _ _ X D L).
Qed.
End Program.
