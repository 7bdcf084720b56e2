(** Boxes: the ranges of the inputs, cut into parts until the bounds are good.

    A tree of cuts stands for a box for each of its leaves. A box may be cut in two along one input if no
    value of that input lies between the parts; so the values of the inputs lie in one of the leaves'
    boxes, and what holds on all of them holds of the program. *)
From Coq Require Import Reals Lra Lia ZArith QArith Qreals Qround Bool List FMapPositive Uint63.
From Flocq Require Import Core BinarySingleNaN.
From Bignums Require Import BigZ BigN.
From Lastbit Require Import Program Dyadic Nearest Enclosure Libm Judgement Rules Linear.
Import ListNotations.
Open Scope R_scope.

(** Numbers in a certificate are integers m and e for m*2^e. *)
Definition literal (m e : Z) : dy := D (BigZ.of_Z m) (BigZ.of_Z e).

(** A leaf, with the fingerprint of the numbers that were found for it; or a cut of an input's range [lo, hi]
    into [lo, ml*2^el] and [mr*2^er, hi]. *)
Inductive tree :=
| Leaf (fingerprint : Z)
| Cut (input : nat) (ml el mr er : Z) (lower upper : tree).

(** * Fingerprints *)

(** h := (h * 1000003 + z) mod (2^61 - 1), over all integers z of a leaf. Where it is the same, the numbers
    that are derived here are those of the certificate. What is proved does not rest on it. *)
Definition modulus : int := 2305843009213693951%uint63.

Definition residue_N (n : BigN.t) : int :=
  match n with
  | BigN.N0 a => (a mod modulus)%uint63
  | BigN.N1 (DoubleType.WW a b) => snd (diveucl_21 (a mod modulus)%uint63 b modulus)
  | _ => of_Z (BigN.to_Z n mod to_Z modulus)
  end.

Definition residue (z : bigZ) : int :=
  match z with
  | BigZ.Pos n => residue_N n
  | BigZ.Neg n => let r := residue_N n in if (r =? 0)%uint63 then 0%uint63 else (modulus - r)%uint63
  end.

Definition put (h : int) (z : bigZ) : int :=
  let (a, b) := mulc h 1000003 in ((snd (diveucl_21 a b modulus) + residue z) mod modulus)%uint63.

Definition put_number (h : int) (x : dy) : int := let x := norm x in put (put h (mant x)) (expo x).

Definition put_range (h : int) (i : itv) : int := put_number (put_number h (lo i)) (hi i).

Definition put_judgement (h : int) (j : option judgement) : int :=
  match j with
  | None => put h 0
  | Some j =>
      let h := put_range (put_range (put h 1) (real j)) (float j) in
      let h := put_number (put_number h (x j)) (p j) in
      let h := match rho j with Some q => put_number (put h 1) q | None => put h 0 end in
      put_number h (d j)
  end.

(** f over the numbers of the operations, from k. *)
Fixpoint for_operations (f : int -> positive -> int) (prog : program) (k : positive) (h : int) : int :=
  match prog with [] => h | _ :: prog => for_operations f prog (Pos.succ k) (f h k) end.

Definition fingerprint (prog : program) (box : list itv) (error : dy) (js : judgements)
  (form : option coefficients) : Z :=
  let h := put_number (fold_left put_range box 0%uint63) error in
  let h := for_operations (fun h k => put_judgement h (PositiveMap.find k js)) prog 1 h in
  to_Z match form with
  | None => put h 0
  | Some C => for_operations (fun h k => put_range h (coefficient_of C k)) prog 1 (put h 1)
  end.

(** * What is computed *)

Section Format.
Variables prec emax : Z.
Let bits := BigZ.of_Z prec.
Let least := BigZ.of_Z (3 - emax - prec).

(** The least float that is at least q, and the greatest that is at most q. *)
Definition float_from (q : Q) : dy :=
  let n := integer (Qnum q) in
  let d := integer (Zpos (Qden q)) in
  let f := nearest bits least (quotient_down 64 n d) in
  if dlt (dmul f d) n then next_float bits least f else f.
Definition float_up_to (q : Q) : dy := dneg (float_from (- q)).

(** The range of an input, as the rule VAR takes it; None if it has no value. *)
Definition root_range (i : input) : option itv :=
  let range := match of_kind i with
    | Float => I (float_from (low i)) (float_up_to (high i))
    | Real => I (quotient_down 64 (integer (Qnum (low i))) (integer (Zpos (Qden (low i)))))
                (quotient_up 64 (integer (Qnum (high i))) (integer (Zpos (Qden (high i)))))
    | Sign => I (dneg done) done
    | Integer => I (integer (Qceiling (low i))) (integer (Qfloor (high i)))
    end in
  if dle (lo range) (hi range) then Some range else None.

Fixpoint root_box (is : list input) : option (list itv) :=
  match is with
  | [] => Some []
  | i :: is => do range <- root_range i; do ranges <- root_box is; Some (range :: ranges)
  end.

(** No value of the kind lies between left and right, and they are values themselves. *)
Definition adjacent (k : kind) (left right : dy) : bool :=
  match k with
  | Real => dle right left
  | Float => is_float bits least left && is_float bits least right &&
      (dle right left || deqb (next_float bits least left) right)
  | Integer => deqb (floor_to 0 left) left && deqb (floor_to 0 right) right && dle right (dadd left done)
  | Sign => deqb left (dneg done) && deqb right done
  end.

Fixpoint replace_nth {A} (l : list A) (i : nat) (a : A) : list A :=
  match l, i with
  | [], _ => []
  | _ :: l, O => a :: l
  | b :: l, S i => b :: replace_nth l i a
  end.

(** The parts of a box that is cut along input i. *)
Definition cut (kinds : list kind) (box : list itv) (i : nat) (left right : dy)
  : option (list itv * list itv) :=
  do k <- nth_error kinds i;
  do r <- nth_error box i;
  if adjacent k left right && dle (lo r) left && dle left (hi r) && dle (lo r) right && dle right (hi r)
  then Some (replace_nth box i (I (lo r) left), replace_nth box i (I right (hi r))) else None.

Variables for_ln for_exp : accuracy.
Variable kinds : list kind.
Variable prog : program.
Variable result : positive.
(** The operations from the result back to the first one. *)
Variable back : list (positive * op).
(** An operation whose real value the error must not exceed. *)
Variable at_most : option positive.

Definition meets_claim (js : judgements) (error : dy) : bool :=
  match at_most with
  | None => true
  | Some k => match PositiveMap.find k js with Some j => dle error (lo (real j)) | None => false end
  end.

(** The bound on a box, and the range of the result. *)
Definition leaf (box : list itv) (h : Z) : option (dy * itv) :=
  let js := runJ prec emax for_ln for_exp kinds box prog 1 (PositiveMap.empty _) in
  do j <- PositiveMap.find result js;
  let '(error, form) := match linear_form js back with
    | Some (C, E) => if dlt E (d j) then (E, Some C) else (d j, None)
    | None => (d j, None)
    end in
  if meets_claim js error && Z.eqb (fingerprint prog box error js form) h then Some (error, real j) else None.

(** The same over all leaves. *)
Fixpoint leaves (box : list itv) (t : tree) : option (dy * itv) :=
  match t with
  | Leaf h => leaf box h
  | Cut i ml el mr er lower upper =>
      do parts <- cut kinds box i (literal ml el) (literal mr er);
      do l <- leaves (fst parts) lower;
      do u <- leaves (snd parts) upper;
      Some (dmax (fst l) (fst u), hull (snd l) (snd u))
  end.
End Format.

(** * Why it holds *)

Lemma V_literal m e : V (literal m e) = IZR m * bpow radix2 e.
Proof. unfold V, literal. cbn [mant expo]. rewrite !BigZ.spec_of_Z. reflexivity. Qed.

Lemma V_fraction q : V (integer (Qnum q)) / V (integer (Zpos (Qden q))) = Q2R q.
Proof. rewrite !V_integer. reflexivity. Qed.

Lemma V_denominator q : 0 < V (integer (Zpos (Qden q))).
Proof. rewrite V_integer. apply IZR_lt. reflexivity. Qed.

Section Sound.
Context {prec emax : Z} {Hprec : Prec_gt_0 prec} {Hmax : Prec_lt_emax prec emax}.
Notation fexp := (SpecFloat.fexp prec emax).
Notation is_format := (generic_format radix2 fexp).
Notation bits := (BigZ.of_Z prec).
Notation least := (BigZ.of_Z (3 - emax - prec)).

Lemma format_flt : FLT_exp [least]%bigZ [bits]%bigZ = fexp.
Proof. rewrite !BigZ.spec_of_Z. reflexivity. Qed.

Lemma bits_pos : (0 < [bits]%bigZ)%Z.
Proof. rewrite BigZ.spec_of_Z. exact Hprec. Qed.

Instance fexp_valid : Valid_exp fexp := fexp_correct prec emax Hprec.

Lemma float_from_le q x : is_format x -> Q2R q <= x -> V (float_from prec emax q) <= x.
Proof.
  intros X Q. unfold float_from. set (below := quotient_down _ _ _). set (f := nearest _ _ below).
  assert (N : V f = round radix2 fexp ZnearestE (V below)).
  { unfold f. rewrite V_nearest, format_flt. reflexivity. }
  assert (F : is_format (V f)).
  { rewrite N. apply generic_format_round; auto with typeclass_instances. }
  assert (D := V_denominator q). assert (L : V f <= x).
  { rewrite N, <- (round_generic radix2 fexp ZnearestE x X). apply round_le; auto with typeclass_instances.
    eapply Rle_trans; [|exact Q]. rewrite <- V_fraction. apply quotient_down_le. lra. }
  destruct (dlt_spec (dmul f (integer (Zpos (Qden q)))) (integer (Qnum q))) as [S|_]; [|exact L].
  rewrite V_next_float, format_flt by exact bits_pos. apply succ_le_lt; [exact _|exact F|exact X|].
  eapply Rlt_le_trans; [|exact Q]. rewrite <- V_fraction. rewrite V_mul in S.
  apply Rmult_lt_reg_r with (1 := D). unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma float_up_to_ge q x : is_format x -> x <= Q2R q -> x <= V (float_up_to prec emax q).
Proof.
  intros X Q. unfold float_up_to. rewrite V_neg.
  assert (H := float_from_le (- q) (- x) (generic_format_opp _ _ _ X)). rewrite Q2R_opp in H. lra.
Qed.

Lemma Qceiling_le q n : Q2R q <= IZR n -> (Qceiling q <= n)%Z.
Proof.
  intros H. assert (C := Qceiling_lt q). apply Qlt_Rlt in C.
  assert (E : Q2R (inject_Z (Qceiling q - 1)) = IZR (Qceiling q - 1)) by (unfold Q2R; cbn; lra).
  rewrite E in C. apply Zlt_succ_le. assert (IZR (Qceiling q - 1) < IZR n) by lra. apply lt_IZR in H0. lia.
Qed.

Lemma Qfloor_ge q n : IZR n <= Q2R q -> (n <= Qfloor q)%Z.
Proof.
  intros H. assert (C := Qceiling_le (- q) (- n)). rewrite Q2R_opp, opp_IZR in C.
  unfold Qceiling in C. rewrite Qopp_involutive in C. apply Z.opp_le_mono, C. lra.
Qed.

Lemma root_range_sound i r v (f : binary_float prec emax) :
  is_input i v f -> root_range prec emax i = Some r -> is_value (of_kind i) v f /\ isin v r.
Proof.
  unfold root_range, is_input, is_value. intros ((L & H) & F & K). destruct (dle _ _); [|discriminate].
  intros [= <-]. split; [split; [exact F|exact K]|].
  destruct (of_kind i); unfold isin; cbn [lo hi].
  - subst v. assert (X := generic_format_B2R prec emax f).
    split; [apply float_from_le|apply float_up_to_ge]; assumption.
  - assert (Dl := V_denominator (low i)). assert (Dh := V_denominator (high i)). split.
    + eapply Rle_trans; [apply quotient_down_le; lra|]. rewrite V_fraction. exact L.
    + eapply Rle_trans; [|apply quotient_up_ge; lra]. rewrite V_fraction. exact H.
  - rewrite V_neg, V_one. lra.
  - destruct K as (_ & n & ->). rewrite !V_integer.
    split; apply IZR_le; [apply Qceiling_le, L|apply Qfloor_ge, H].
Qed.

(** All values of the inputs lie in the root's box. *)
Lemma root_box_sound is xs (fs : list (binary_float prec emax)) : are_inputs is xs fs ->
  forall box, root_box prec emax is = Some box -> in_box (map of_kind is) box xs fs.
Proof.
  induction 1 as [|i is x xs f fs I _ IH]; cbn [root_box]; intros box.
  - intros _ [|n] k b K; discriminate.
  - destruct (root_range _ _ i) as [r|] eqn:R; [|discriminate].
    destruct (root_box _ _ is) as [rest|]; [|discriminate]. intros [= <-].
    intros [|n] k b K B; cbn in K, B |- *.
    + injection K as <-. injection B as <-. exact (root_range_sound _ _ _ _ I R).
    + exact (IH _ eq_refl n k b K B).
Qed.

Lemma floor_to_0 x : deqb (floor_to 0 x) x = true -> exists n, V x = IZR n.
Proof.
  intros H. apply deqb_ok in H. rewrite V_floor_to in H. exists (Zfloor (V x)). rewrite <- H at 1.
  unfold round, scaled_mantissa, F2R. cbn. rewrite !Rmult_1_r. reflexivity.
Qed.

(** A value beyond the one is beyond the other. *)
Lemma adjacent_sound k left right v (f : binary_float prec emax) :
  adjacent prec emax k left right = true -> is_value k v f -> v <= V left \/ V right <= v.
Proof.
  intros A (F & K). destruct (Rle_lt_dec v (V left)) as [L|L]; [left; exact L|right].
  destruct k; unfold adjacent in A; repeat rewrite ?andb_true_iff, ?orb_true_iff in A.
  - destruct A as ((A & _) & [B|B]); [apply dle_ok in B; lra|].
    apply is_float_iff in A; [|exact bits_pos]. apply deqb_ok in B.
    rewrite V_next_float, format_flt in B by exact bits_pos. rewrite format_flt in A. rewrite <- B.
    apply succ_le_lt; [exact _|exact A| |exact L]. rewrite K. apply generic_format_B2R.
  - apply dle_ok in A. lra.
  - destruct A as (A & B). apply deqb_ok in A. apply deqb_ok in B.
    rewrite V_minus_one in A. rewrite V_one in B. lra.
  - destruct A as ((A & B) & C). apply floor_to_0 in A. apply floor_to_0 in B. apply dle_ok in C.
    rewrite V_add, V_one in C. destruct A as (a & A), B as (b & B), K as (_ & n & ->).
    rewrite A in *. rewrite B in *.
    apply lt_IZR in L. rewrite <- plus_IZR in C. apply le_IZR in C. apply IZR_le. lia.
Qed.

Lemma nth_error_replace_nth {A} (l : list A) i a n b : nth_error (replace_nth l i a) n = Some b ->
  n = i /\ b = a \/ nth_error l n = Some b.
Proof.
  revert i n. induction l as [|c l IH]; intros [|i] [|n] H; cbn in H |- *; try discriminate; try tauto.
  - injection H as <-. tauto.
  - destruct (IH i n H) as [(-> & ->)|E]; tauto.
Qed.

(** Values that lie in a box lie in one of its parts. *)
Lemma cut_sound kinds box i left right lower upper xs (fs : list (binary_float prec emax)) :
  cut prec emax kinds box i left right = Some (lower, upper) -> in_box kinds box xs fs ->
  in_box kinds lower xs fs \/ in_box kinds upper xs fs.
Proof.
  unfold cut. intros C H.
  destruct (nth_error kinds i) as [k|] eqn:K; [|discriminate].
  destruct (nth_error box i) as [r|] eqn:R; [|discriminate].
  destruct (_ && _) eqn:A in C; [|discriminate]. injection C as <- <-. rewrite !andb_true_iff in A.
  destruct (H i k r K R) as (Value & L & U).
  assert (part : forall b, isin (nth i xs 0) b -> in_box kinds (replace_nth box i b) xs fs).
  { intros b B n k' b' K' B'. apply nth_error_replace_nth in B'.
    destruct B' as [(-> & ->)|B']; [|exact (H n k' b' K' B')].
    rewrite K in K'. injection K' as <-. split; [exact Value|exact B]. }
  destruct (adjacent_sound k left right _ _ ltac:(apply A) Value); [left|right]; apply part; split; cbn; lra.
Qed.

(** What a bound says of the values of the inputs. *)
Definition bounded (lib : libm prec emax) (prog : program) (result : positive) (at_most : option positive)
  (xs : list R) (fs : list (binary_float prec emax)) (error : dy) (range : itv) : Prop :=
  let r := real_value prog result xs in
  let f := float_value lib prog result fs in
  is_finite f = true /\ isin r range /\ Rabs (B2R f - r) <= V error /\
  match at_most with Some k => Rabs (B2R f - r) <= real_value prog k xs | None => True end.

Lemma leaf_sound lib for_ln for_exp kinds prog result back at_most box h xs fs error range :
  meets lib for_ln for_exp -> well_formed prog 1 = true -> in_box kinds box xs fs ->
  back_from result prog 1 [] = back -> hd_error (map fst back) = Some result ->
  leaf prec emax for_ln for_exp kinds prog result back at_most box h = Some (error, range) ->
  bounded lib prog result at_most xs fs error range.
Proof.
  intros M W B Back First. unfold leaf.
  destruct (runJ_sound lib for_ln for_exp kinds box xs fs prog M B W) as (Hold & _).
  assert (Linear := fun C E =>
    linear_error lib for_ln for_exp kinds box xs fs prog result C E back M B W Back First).
  revert Hold Linear. cbv zeta. set (js := runJ _ _ _ _ _ _ _ _ _). intros Hold Linear.
  destruct (PositiveMap.find result js) as [j|] eqn:J; [|discriminate].
  destruct (Hold _ _ J) as (F & R & _ & D & _).
  set (e_form := match linear_form js back with Some _ => _ | None => _ end).
  assert (E : Rabs (B2R (float_value lib prog result fs) - real_value prog result xs) <= V (fst e_form)).
  { unfold e_form. destruct (linear_form js back) as [(C, E)|] eqn:L; [|exact D].
    destruct (dlt E (d j)); [exact (Linear C E eq_refl)|exact D]. }
  clearbody e_form. destruct e_form as (e, form). cbn [fst] in E.
  destruct (meets_claim at_most js e) eqn:Claim; cbn [andb]; [|discriminate].
  destruct (Z.eqb _ _); [|discriminate]. intros [= <- <-].
  split; [exact F|split; [exact R|split; [exact E|]]].
  unfold meets_claim in Claim. destruct at_most as [k|]; [|exact Logic.I].
  destruct (PositiveMap.find k js) as [jk|] eqn:K; [|discriminate]. apply dle_ok in Claim.
  destruct (Hold _ _ K) as (_ & (Lo & _) & _). unfold real_value in *. lra.
Qed.

Lemma bounded_weaken lib prog result at_most xs fs error range error' range' :
  V error <= V error' -> (forall r, isin r range -> isin r range') ->
  bounded lib prog result at_most xs fs error range -> bounded lib prog result at_most xs fs error' range'.
Proof. intros E R (F & I & D & A). repeat split; trivial; try apply R, I. lra. Qed.

(** The leaves' bounds hold for all values in the box. *)
Theorem leaves_sound lib for_ln for_exp kinds prog result back at_most xs fs t :
  meets lib for_ln for_exp -> well_formed prog 1 = true ->
  back_from result prog 1 [] = back -> hd_error (map fst back) = Some result ->
  forall box error range, in_box kinds box xs fs ->
  leaves prec emax for_ln for_exp kinds prog result back at_most box t = Some (error, range) ->
  bounded lib prog result at_most xs fs error range.
Proof.
  intros M W Back First. induction t as [h|i ml el mr er lower IHl upper IHu]; intros box error range B;
    cbn [leaves].
  - apply leaf_sound; assumption.
  - destruct (cut _ _ _ _ _ _ _) as [(below, above)|] eqn:C; [|discriminate]. cbn [fst snd].
    destruct (leaves _ _ _ _ _ _ _ _ _ below lower) as [(el', rl)|] eqn:L; [|discriminate].
    destruct (leaves _ _ _ _ _ _ _ _ _ above upper) as [(eu, ru)|] eqn:U; [|discriminate].
    cbn [fst snd]. intros [= <- <-]. destruct (cut_sound _ _ _ _ _ _ _ _ _ C B) as [I|I].
    + apply (bounded_weaken _ _ _ _ _ _ el' rl); [rewrite V_max; apply Rmax_l|intros r; apply isin_hull_l|].
      exact (IHl below el' rl I L).
    + apply (bounded_weaken _ _ _ _ _ _ eu ru); [rewrite V_max; apply Rmax_r|intros r; apply isin_hull_r|].
      exact (IHu above eu ru I U).
Qed.
End Sound.
