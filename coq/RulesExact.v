(** The rules of operations that never round: NEG, ABS, MIN, MAX, CLAMP, ROUND to a grid, and IF.

    They are exact on floats, so that their own error is 0. NEG, ABS, MIN, MAX and CLAMP move values by no
    more than their operands moved. Of a comparison that has the same answer for all values the operand that
    is the answer counts alone; otherwise the real and the float reading may take different branches, and so
    they may fall into different cells of a grid. *)
From Coq Require Import Reals ZArith Lra Lia Bool.
From Bignums Require Import BigZ.
From Flocq Require Import Core BinarySingleNaN.
From Lastbit Require Import Program Rounding RealRules Dyadic Nearest Enclosure Judgement.
Open Scope R_scope.

(** The larger of two relative errors, if both are known. *)
Definition larger (a b : option dy) : option dy :=
  match a, b with Some a, Some b => Some (dmax a b) | _, _ => None end.

(** NEG *)
Definition negated (j : judgement) : judgement := passed_on (ineg (real j)) (ineg (float j)) (d j) (rho j).

(** ABS *)
Definition absolute (j : judgement) : judgement := passed_on (iabs (real j)) (iabs (float j)) (d j) (rho j).

(** Whether the comparison holds for all pairs, or for none. *)
Definition compare (c : comparison) (a b : itv) : option bool :=
  let '(all, none) := match c with
    | Less => (dlt (hi a) (lo b), dle (hi b) (lo a))
    | LessOrEqual => (dle (hi a) (lo b), dlt (hi b) (lo a))
    | Equal => (deqb (lo a) (hi a) && deqb (lo a) (lo b) && deqb (hi a) (hi b),
                dlt (hi a) (lo b) || dlt (hi b) (lo a))
    end in
  if all then Some true else if none then Some false else None.

(** Whether the first operand is the smaller (larger) one for all values, or the second one is. *)
Definition first_is_minimum (a b : judgement) : option bool := compare LessOrEqual (domain a) (domain b).
Definition first_is_maximum (a b : judgement) : option bool := compare LessOrEqual (domain b) (domain a).

(** The minimum or maximum, from what is known of which it is. *)
Definition extremum (first : option bool) (a b : judgement) (r f : itv) : judgement :=
  match first with
  | Some true => taken_over a
  | Some false => taken_over b
  | None => passed_on r f (dmax (d a) (d b)) (larger (rho a) (rho b))
  end.

(** MIN *)
Definition minimum (a b : judgement) : judgement :=
  extremum (first_is_minimum a b) a b (imin (real a) (real b)) (imin (float a) (float b)).

(** MAX *)
Definition maximum (a b : judgement) : judgement :=
  extremum (first_is_maximum a b) a b (imax (real a) (real b)) (imax (float a) (float b)).

(** CLAMP *)
Definition clamp (a bound : judgement) : option judgement :=
  if is_neg (lo (domain bound)) then None else Some (maximum (minimum a bound) (negated bound)).

(** A relative error of 0, or none. *)
Definition zero_if (b : bool) : option dy := if b then Some dzero else None.

(** IF without one answer for all values. alike: both readings choose the same branch. *)
Definition choice (alike : bool) (yes no : judgement) : judgement :=
  let r := hull (real yes) (real no) in
  let f := hull (float yes) (float no) in
  let e := dmax (d yes) (d no) in
  if alike then passed_on r f e (larger (rho yes) (rho no))
  else
    let across := dmax (farthest (float yes) (real no)) (farthest (float no) (real yes)) in
    let e := dmax e (up across) in
    passed_on r f e (zero_if (is_zero e)).

Definition tie_of (t : Program.tie) : Nearest.tie :=
  match t with Up => TieUp | Even => TieEven | Away => TieAway end.

(** ROUND to multiples of 2^k *)
Definition rounded (prec emax : Z) (a : judgement) (k : Z) (t : Program.tie) : option judgement :=
  if Z.ltb k (3 - emax - prec) || Z.leb (emax - 1) k then None
  else
    let k := BigZ.of_Z k in
    let r := grid_itv k (tie_of t) (real a) in
    let f := grid_itv k (tie_of t) (float a) in
    if may_overflow emax (max_abs f) then None
    else
      let e := up (dmin (cells_apart k (tie_of t) (d a)) (farthest f r)) in
      Some (passed_on r f e (zero_if (is_zero e))).

(** * Soundness *)
Section Sound.
Context {prec emax : Z} {Hprec : Prec_gt_0 prec} {Hmax : Prec_lt_emax prec emax}.
Notation bfloat := (binary_float prec emax).

Lemma negated_holds r (f : bfloat) j : holds r f j -> holds (- r) (Bopp f) (negated j).
Proof.
  intros (F & Hr & Hf & D & Q & _). destruct (Bopp_exact prec emax f F) as [F' E].
  apply passed_on_holds; rewrite ?E; try assumption.
  - apply isin_neg, Hr.
  - apply isin_neg, Hf.
  - apply neg_abs, D.
  - destruct (rho j) as [q|]; [|exact Logic.I]. split; [apply Q|]. apply neg_rel, Q.
Qed.

Lemma absolute_holds r (f : bfloat) j : holds r f j -> holds (Rabs r) (Babs f) (absolute j).
Proof.
  intros (F & Hr & Hf & D & Q & _). destruct (Babs_exact prec emax f F) as [F' E].
  apply passed_on_holds; rewrite ?E; try assumption.
  - apply isin_abs, Hr.
  - apply isin_abs, Hf.
  - apply abs_abs, D.
  - destruct (rho j) as [q|]; [|exact Logic.I]. split; [apply Q|]. apply abs_rel, Q.
Qed.

Lemma compare_ok c a b answer u v : compare c a b = Some answer -> isin u a -> isin v b ->
  holdsR c u v = answer.
Proof.
  unfold compare, isin. intros H [A1 A2] [B1 B2]. destruct c.
  - destruct (dlt_spec (hi a) (lo b)); [|destruct (dle_spec (hi b) (lo a)); [|discriminate]];
      injection H as <-.
    + apply Rlt_bool_true. lra.
    + apply Rlt_bool_false. lra.
  - destruct (dle_spec (hi a) (lo b)); [|destruct (dlt_spec (hi b) (lo a)); [|discriminate]];
      injection H as <-.
    + apply Rle_bool_true. lra.
    + apply Rle_bool_false. lra.
  - destruct (deqb_spec (lo a) (hi a)), (deqb_spec (lo a) (lo b)), (deqb_spec (hi a) (hi b));
      cbn [andb] in H; [injection H as <-; apply Req_bool_true; lra|..];
      (destruct (dlt_spec (hi a) (lo b)); [|destruct (dlt_spec (hi b) (lo a)); [|discriminate]]);
      injection H as <-; apply Req_bool_false; lra.
Qed.

Lemma le_answer u v answer : holdsR LessOrEqual u v = answer -> if answer then u <= v else v < u.
Proof. intros <-. cbn [holdsR]. destruct (Rle_bool_spec u v); assumption. Qed.

(** Comparisons of finite floats are those of their values. *)
Lemma holdsF_exact c (f g : bfloat) : is_finite f = true -> is_finite g = true ->
  holdsF c f g = holdsR c (B2R f) (B2R g).
Proof.
  intros F G. assert (C := Bcompare_exact prec emax f g F G).
  destruct c; cbn [holdsF holdsR]; unfold Bltb, Bleb, Beqb, SpecFloat.SFltb, SpecFloat.SFleb, SpecFloat.SFeqb;
    change (SpecFloat.SFcompare (B2SF f) (B2SF g)) with (Bcompare f g); rewrite C;
    destruct (Rcompare_spec (B2R f) (B2R g)); symmetry;
    (apply Rlt_bool_true + apply Rlt_bool_false + apply Rle_bool_true + apply Rle_bool_false +
     apply Req_bool_true + apply Req_bool_false); lra.
Qed.

Lemma larger_holds f1 r1 q1 f2 r2 q2 (f r : R) :
  (forall a b, 0 <= a <= 1 -> 0 <= b <= 1 -> Rabs (f1 - r1) <= a * Rabs r1 -> Rabs (f2 - r2) <= b * Rabs r2 ->
    Rabs (f - r) <= Rmax a b * Rabs r) ->
  rho_holds f1 r1 q1 -> rho_holds f2 r2 q2 -> rho_holds f r (larger q1 q2).
Proof.
  intros H. destruct q1 as [a|], q2 as [b|]; try easy. intros [A1 A2] [B1 B2]. unfold larger, rho_holds.
  rewrite V_max. split; [|apply H; assumption]. split.
  - apply Rle_trans with (2 := Rmax_l _ _). lra.
  - apply Rmax_lub; lra.
Qed.

Lemma minF_exact (f g : bfloat) : is_finite f = true -> is_finite g = true ->
  is_finite (minF f g) = true /\ B2R (minF f g) = Rmin (B2R f) (B2R g).
Proof. apply (Bmin_exact prec emax). Qed.

Lemma maxF_exact (f g : bfloat) : is_finite f = true -> is_finite g = true ->
  is_finite (maxF f g) = true /\ B2R (maxF f g) = Rmax (B2R f) (B2R g).
Proof. apply (Bmax_exact prec emax). Qed.

Lemma clampF_exact (f g : bfloat) : is_finite f = true -> is_finite g = true ->
  B2R (clampF f g) = clampR (B2R f) (B2R g).
Proof.
  intros F G. destruct (minF_exact f g F G) as [FM EM]. destruct (Bopp_exact prec emax g G) as [FO EO].
  unfold clampF. rewrite clampR_eq. destruct (maxF_exact _ _ FM FO) as [_ ->]. rewrite EM, EO. reflexivity.
Qed.

Lemma minimum_holds r1 (f1 : bfloat) a r2 (f2 : bfloat) b : holds r1 f1 a -> holds r2 f2 b ->
  holds (Rmin r1 r2) (minF f1 f2) (minimum a b).
Proof.
  intros A B. assert (HA := A). assert (HB := B).
  destruct A as (Fa & Ra & Va & Da & Qa & _), B as (Fb & Rb & Vb & Db & Qb & _).
  destruct (minF_exact f1 f2 Fa Fb) as [F E]. unfold minimum, extremum.
  destruct (first_is_minimum a b) as [[|]|] eqn:C.
  - assert (CR := compare_ok _ _ _ _ r1 r2 C (real_in_domain _ _ _ HA) (real_in_domain _ _ _ HB)).
    assert (CF := compare_ok _ _ _ _ _ _ C (float_in_domain _ _ _ HA) (float_in_domain _ _ _ HB)).
    apply le_answer in CR, CF.
    rewrite Rmin_left by exact CR. apply taken_over_holds, holds_same with f1; [exact F| |exact HA].
    rewrite E. apply Rmin_left, CF.
  - assert (CR := compare_ok _ _ _ _ r1 r2 C (real_in_domain _ _ _ HA) (real_in_domain _ _ _ HB)).
    assert (CF := compare_ok _ _ _ _ _ _ C (float_in_domain _ _ _ HA) (float_in_domain _ _ _ HB)).
    apply le_answer in CR, CF.
    rewrite Rmin_right by lra. apply taken_over_holds, holds_same with f2; [exact F| |exact HB].
    rewrite E. apply Rmin_right. lra.
  - apply passed_on_holds; rewrite ?E, ?V_max;
      [exact F|apply isin_min; assumption|apply isin_min; assumption| |].
    + apply RealRules.min_abs; assumption.
    + revert Qa Qb. apply larger_holds. intros. apply min_rel; easy.
Qed.

Lemma maximum_holds r1 (f1 : bfloat) a r2 (f2 : bfloat) b : holds r1 f1 a -> holds r2 f2 b ->
  holds (Rmax r1 r2) (maxF f1 f2) (maximum a b).
Proof.
  intros A B. assert (HA := A). assert (HB := B).
  destruct A as (Fa & Ra & Va & Da & Qa & _), B as (Fb & Rb & Vb & Db & Qb & _).
  destruct (maxF_exact f1 f2 Fa Fb) as [F E]. unfold maximum, extremum.
  destruct (first_is_maximum a b) as [[|]|] eqn:C.
  - assert (CR := compare_ok _ _ _ _ r2 r1 C (real_in_domain _ _ _ HB) (real_in_domain _ _ _ HA)).
    assert (CF := compare_ok _ _ _ _ _ _ C (float_in_domain _ _ _ HB) (float_in_domain _ _ _ HA)).
    apply le_answer in CR, CF.
    rewrite Rmax_left by exact CR. apply taken_over_holds, holds_same with f1; [exact F| |exact HA].
    rewrite E. apply Rmax_left, CF.
  - assert (CR := compare_ok _ _ _ _ r2 r1 C (real_in_domain _ _ _ HB) (real_in_domain _ _ _ HA)).
    assert (CF := compare_ok _ _ _ _ _ _ C (float_in_domain _ _ _ HB) (float_in_domain _ _ _ HA)).
    apply le_answer in CR, CF.
    rewrite Rmax_right by lra. apply taken_over_holds, holds_same with f2; [exact F| |exact HB].
    rewrite E. apply Rmax_right. lra.
  - apply passed_on_holds; rewrite ?E, ?V_max;
      [exact F|apply isin_max; assumption|apply isin_max; assumption| |].
    + apply RealRules.max_abs; assumption.
    + revert Qa Qb. apply larger_holds. intros. apply max_rel; easy.
Qed.

Lemma clamp_holds r1 (f1 : bfloat) a r2 (f2 : bfloat) b j : holds r1 f1 a -> holds r2 f2 b ->
  clamp a b = Some j -> holds (clampR r1 r2) (clampF f1 f2) j.
Proof.
  intros A B. rewrite clampR_eq. unfold clamp. destruct (is_neg _); [discriminate|]. intros [= <-].
  apply maximum_holds; [apply minimum_holds; assumption|apply negated_holds, B].
Qed.

Lemma zero_if_holds f r e : Rabs (f - r) <= V e -> rho_holds f r (zero_if (is_zero e)).
Proof.
  intros H. destruct (is_zero_spec e) as [Z|]; [|exact Logic.I]. rewrite Z in H.
  unfold zero_if, rho_holds. rewrite V_zero. lra.
Qed.

(** The branches are chosen by s in the real reading and by t in the float reading. *)
Lemma choice_holds alike (s t : bool) r1 (f1 : bfloat) a r2 (f2 : bfloat) b :
  holds r1 f1 a -> holds r2 f2 b ->
  (alike = true -> s = t) -> holds (if s then r1 else r2) (if t then f1 else f2) (choice alike a b).
Proof.
  intros (Fa & Ra & Va & Da & Qa & _) (Fb & Rb & Vb & Db & Qb & _) S. unfold choice.
  assert (L := Rmax_l (V (d a)) (V (d b))). assert (U := Rmax_r (V (d a)) (V (d b))).
  assert (HR : isin (if s then r1 else r2) (hull (real a) (real b)))
    by (destruct s; [apply isin_hull_l, Ra|apply isin_hull_r, Rb]).
  assert (HF : isin (B2R (if t then f1 else f2)) (hull (float a) (float b)))
    by (destruct t; [apply isin_hull_l, Va|apply isin_hull_r, Vb]).
  assert (F : is_finite (if t then f1 else f2) = true) by (destruct t; assumption).
  destruct alike.
  - rewrite (S eq_refl) in *. apply passed_on_holds; try assumption.
    + rewrite V_max. destruct t; lra.
    + revert Qa Qb. apply larger_holds. intros q1 q2 _ _ H1 H2.
      destruct t; [apply Rle_trans with (1 := H1)|apply Rle_trans with (1 := H2)];
        (apply Rmult_le_compat_r; [apply Rabs_pos|]); [apply Rmax_l|apply Rmax_r].
  - set (e := dmax (dmax (d a) (d b)) _).
    assert (E : Rabs (B2R (if t then f1 else f2) - (if s then r1 else r2)) <= V e).
    { unfold e. set (across := dmax (farthest _ _) _).
      assert (A := up_ge across).
      assert (A1 := farthest_ge _ _ _ _ Va Rb). assert (A2 := farthest_ge _ _ _ _ Vb Ra).
      unfold across in A at 1. rewrite V_max in A. fold across in A. rewrite !V_max. clearbody across.
      unfold Rmax in *. repeat destruct (Rle_dec _ _); destruct s, t; lra. }
    apply passed_on_holds; try assumption. apply zero_if_holds, E.
Qed.

Lemma grid_image k t i r : isin r i -> isin (Program.to_grid k t r) (grid_itv (BigZ.of_Z k) (tie_of t) i).
Proof.
  intros H. apply (isin_grid (BigZ.of_Z k) (tie_of t)) in H. rewrite BigZ.spec_of_Z in H. destruct t; exact H.
Qed.

Lemma rounded_holds r (f g : bfloat) a k t j : holds r f a -> rounded prec emax a k t = Some j ->
  ((3 - emax - prec <= k)%Z -> Rabs (Program.to_grid k t (B2R f)) <= bpow radix2 (emax - 2) ->
    is_finite g = true /\ B2R g = Program.to_grid k t (B2R f)) ->
  holds (Program.to_grid k t r) g j /\ B2R g = Program.to_grid k t (B2R f).
Proof.
  intros (F & Hr & Hf & D & _) H G. revert H. unfold rounded.
  destruct (Z.ltb_spec k (3 - emax - prec)) as [|K]; [discriminate|]. cbn [orb].
  destruct (Z.leb _ _); [discriminate|].
  assert (Hl := grid_image k t _ _ Hf). assert (Hi := grid_image k t _ _ Hr).
  cbv zeta. set (i := grid_itv _ _ (real a)) in *. set (l := grid_itv _ _ _) in *.
  unfold may_overflow. destruct (is_above_spec (emax - 2) (max_abs l)) as [|O]; [discriminate|].
  destruct (G K) as [Fg E].
  { eapply Rle_trans; [apply max_abs_ge, Hl|exact O]. }
  intros [= <-]. split; [|exact E]. set (e := up _).
  assert (De : Rabs (B2R g - Program.to_grid k t r) <= V e).
  { unfold e. eapply Rle_trans; [|apply up_ge]. rewrite V_min, E. apply Rmin_glb.
    - assert (C := cells_apart_ok (BigZ.of_Z k) (tie_of t) (d a) _ _ D). rewrite BigZ.spec_of_Z in C.
      destruct t; exact C.
    - apply farthest_ge; assumption. }
  apply passed_on_holds; try assumption; [rewrite E; exact Hl|]. apply zero_if_holds, De.
Qed.
End Sound.
