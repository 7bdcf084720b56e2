(* Outputs that one input can give and its neighbour can not, in binary64.

   Pure differential privacy fails as soon as one output is possible under f and impossible under f'. This
   file shows it for three mechanisms, for concrete doubles and a correctly rounded logarithm:

   - the snapping mechanism, once B*eps is about 372. No double in (0,1) is below 2^-1074, so the noise is at
     least LN(2^-1074) = -744.44..., and f is the last double from which this reaches -B;
   - the same without the clamp of its input, here for B = 1;
   - the textbook x + s*ln(u)/eps. Below 0, the outputs of x = 1 are multiples of 2^-52; x = 0 has others. *)

From Coq Require Import Reals ZArith Lra Lia Qreals.
From Flocq Require Import Core.
From Interval Require Import Tactic.
Open Scope R_scope.

(* Binary64 without an upper end (no number here comes near it), rounded to nearest, ties to even. *)
Definition fexp := FLT_exp (-1074) 53.
Definition double (x : R) := generic_format radix2 fexp x.
Definition rnd (x : R) := round radix2 fexp ZnearestE x.

Definition clamp (B x : R) := Rmax (- B) (Rmin B x).
Definition round_half_up (L w : R) := L * IZR (Zfloor (w / L + 1 / 2)).

(* What a mechanism draws: a double in (0,1) and a sign. *)
Definition draw (u s : R) := double u /\ 0 < u < 1 /\ (s = 1 \/ s = -1).

Definition possible (M : R -> R -> R) (r : R) := exists u s, draw u s /\ M u s = r.

(* A law of (u, s) under which every draw has positive probability, such as u in proportion to its ulp and a
   fair s; mass is the probability of an event. *)
Definition law (mass : (R -> R -> Prop) -> R) :=
  (forall E : R -> R -> Prop, (forall u s, draw u s -> ~ E u s) -> mass E = 0) /\
  (forall (E : R -> R -> Prop) u s, draw u s -> E u s -> 0 < mass E).

(* Each output is at most e^eps times as likely under M as under M'. *)
Definition private mass (eps : R) (M M' : R -> R -> R) :=
  forall r, mass (fun u s => M u s = r) <= exp eps * mass (fun u s => M' u s = r).

(* An output that is possible under one and impossible under the other excludes every eps. *)
Lemma not_private M M' r : possible M r -> ~ possible M' r ->
  forall mass, law mass -> forall eps, ~ private mass eps M M'.
Proof.
  intros (u & s & D & H) N mass [Z P] eps Hp.
  specialize (Hp r).
  rewrite (Z (fun u s => M' u s = r)), Rmult_0_r in Hp.
  - apply Rle_not_lt in Hp; apply Hp, (P _ u s); assumption.
  - intros u' s' D' H'; apply N; exists u', s'; now split.
Qed.

(* ** Rounding *)

Local Instance fexp_valid : Valid_exp fexp.
Proof. now apply FLT_exp_valid. Qed.

Lemma double_rnd x : double (rnd x).
Proof. apply generic_format_round; auto with typeclass_instances. Qed.

Lemma rnd_double x : double x -> rnd x = x.
Proof. intros H; apply round_generic; auto with typeclass_instances. Qed.

Lemma rnd_le x y : x <= y -> rnd x <= rnd y.
Proof. apply round_le; auto with typeclass_instances. Qed.

(* n * 2^e is a double if |n| < 2^53. *)
Lemma double_mult (n e : Z) : (Z.abs n < 2 ^ 53)%Z -> (-1074 <= e)%Z -> double (IZR n * bpow radix2 e).
Proof.
  intros Hn He; apply generic_format_FLT.
  now apply (FLT_spec _ _ _ _ (Float radix2 n e)).
Qed.

(* A real within half an ulp of n * 2^e, in the binade of n, rounds to it. *)
Lemma rnd_near (n e : Z) x : (-1074 <= e)%Z -> bpow radix2 (e + 52) <= Rabs x < bpow radix2 (e + 53) ->
  Rabs (x * bpow radix2 (- e) - IZR n) < 1 / 2 -> rnd x = IZR n * bpow radix2 e.
Proof.
  intros He Hx Hn.
  assert (C : cexp radix2 fexp x = e).
  { unfold cexp. rewrite (mag_unique radix2 x (e + 53)).
    - unfold fexp, FLT_exp; lia.
    - now replace (e + 53 - 1)%Z with (e + 52)%Z by lia. }
  unfold rnd, round, scaled_mantissa. rewrite C.
  rewrite (Znearest_imp _ _ n); [reflexivity|lra].
Qed.

Definition least : R := bpow radix2 (-1074).

Lemma draw_least : draw least 1.
Proof.
  split; [|split; [split|now left]].
  - apply generic_format_bpow; unfold fexp, FLT_exp; lia.
  - apply bpow_gt_0.
  - apply (bpow_lt radix2 _ 0); lia.
Qed.

Lemma least_le u : double u -> 0 < u -> least <= u.
Proof.
  intros D H. apply FLT_format_generic in D; [|easy].
  destruct D as [[m e] -> _ He]; simpl in He.
  apply Rle_trans with (bpow radix2 e); [now apply bpow_le|].
  apply (bpow_le_F2R radix2 m e), (gt_0_F2R radix2 m e H).
Qed.

(* The next one is twice as large. *)
Lemma least_or_twice u : double u -> 0 < u -> u = least \/ bpow radix2 (-1073) <= u.
Proof.
  intros D H. apply FLT_format_generic in D; [|easy].
  destruct D as [[m e] -> _ He]; simpl in He.
  apply gt_0_F2R in H; unfold F2R; cbn [Fnum Fexp] in *.
  destruct (Z.eq_dec m 1) as [->|Hm]; [destruct (Z.eq_dec e (-1074)) as [->|]|].
  - left; unfold least; lra.
  - right; rewrite Rmult_1_l; apply bpow_le; lia.
  - right. change (-1073)%Z with (1 + -1074)%Z; rewrite bpow_plus.
    apply Rmult_le_compat; try apply bpow_ge_0; [|now apply bpow_le].
    apply (IZR_le 2); lia.
Qed.

Lemma ln_bpow e : ln (bpow radix2 e) = IZR e * ln 2.
Proof. rewrite bpow_exp, ln_exp; reflexivity. Qed.

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H| ->]; [left; now apply ln_increasing|apply Rle_refl]. Qed.

(* ** The mechanisms *)

Section Mechanisms.

(* A correctly rounded logarithm. *)
Variable LN : R -> R.
Hypothesis LN_correct : forall u, double u -> 0 < u < 1 -> LN u = rnd (ln u).

(* The textbook Laplace mechanism; snapping without and with the clamp of the input. *)
Definition textbook (eps x u s : R) := rnd (x + s * rnd (LN u / eps)).
Definition snap_unclamped (eps L B x u s : R) := clamp B (round_half_up L (textbook eps x u s)).
Definition snapF (eps L B x u s : R) := snap_unclamped eps L B (clamp B x) u s.

Lemma noise_eq u s : draw u s -> rnd (LN u / 1) = rnd (ln u).
Proof.
  intros (D & I & _). replace (LN u / 1) with (rnd (ln u)); [apply rnd_double, double_rnd|].
  rewrite (LN_correct u D I); field.
Qed.

(* The least double gives -744.44...: within half an ulp, by interval arithmetic. *)
Lemma LN_least : rnd (ln least) = - 0x1.74385446d71c3p+9.
Proof.
  unfold least; rewrite ln_bpow.
  rewrite (rnd_near (-6548164122079683) (-43)); [|lia|..].
  - unfold Q2R; simpl; lra.
  - rewrite Rabs_left by interval with (i_prec 80). simpl; split; interval with (i_prec 80).
  - simpl; interval with (i_prec 80).
Qed.

(* No noise is below it. *)
Lemma noise_ge u s : draw u s -> - 0x1.74385446d71c3p+9 <= rnd (LN u / 1).
Proof.
  intros H; rewrite (noise_eq u s H), <- LN_least; destruct H as (D & I & _).
  apply rnd_le, ln_le; [apply bpow_gt_0|now apply least_le].
Qed.

Lemma noise_le u s : draw u s -> rnd (LN u / 1) <= 0.
Proof.
  intros H; rewrite (noise_eq u s H); destruct H as (D & I & _).
  rewrite <- (rnd_double 0) by apply generic_format_0.
  apply rnd_le; rewrite <- ln_1; apply ln_le; lra.
Qed.

(* That of every other double is at least -744. *)
Lemma noise_other u s : draw u s -> u <> least -> -744 <= rnd (LN u / 1).
Proof.
  intros H N; rewrite (noise_eq u s H); destruct H as (D & I & _).
  destruct (least_or_twice u D (proj1 I)) as [|T]; [easy|].
  rewrite <- (rnd_double (-744)).
  - apply rnd_le. apply Rle_trans with (ln (bpow radix2 (-1073))).
    + rewrite ln_bpow; interval with (i_prec 80).
    + apply ln_le; [apply bpow_gt_0|exact T].
  - replace (-744) with (IZR (-744) * bpow radix2 0) by (simpl; lra). now apply double_mult.
Qed.

(* ** Snapping: eps = 1, L = 1 *)

Definition B := 0x1.7400000000003p+8.   (* 372.00000000000017 *)
Definition f := 0x1.73f0a88dae385p+8.
Definition f' := 0x1.73f0a88dae386p+8.

Lemma f_double : double f.
Proof.
  replace f with (IZR 0x173f0a88dae385 * bpow radix2 (-44)) by (unfold f, Q2R; simpl; lra).
  now apply double_mult.
Qed.

(* f' is the next double. *)
Lemma f'_next : f' = succ radix2 fexp f.
Proof.
  rewrite succ_eq_pos by (unfold f, Q2R; simpl; lra).
  rewrite ulp_neq_0 by (unfold f, Q2R; simpl; lra).
  unfold cexp; rewrite (mag_unique radix2 f 9).
  - unfold f, f', Q2R; simpl; lra.
  - rewrite Rabs_right; unfold f, Q2R; simpl; lra.
Qed.

(* What is at least n - 1/2 is rounded to at least n. *)
Lemma round_half_up_1_ge (n : Z) w : IZR n - 1 / 2 <= w -> IZR n <= round_half_up 1 w.
Proof.
  intros H; unfold round_half_up; rewrite Rmult_1_l. apply IZR_le, Zfloor_lub; lra.
Qed.

Lemma clamp_gt b x : 0 < b -> - b < x -> - b < clamp b x.
Proof.
  intros Hb Hx; unfold clamp; apply Rlt_le_trans with (Rmin b x); [|apply Rmax_r].
  apply Rmin_glb_lt; lra.
Qed.

Lemma clamp_id b x : - b <= x <= b -> clamp b x = x.
Proof. intros H; unfold clamp; rewrite Rmin_right, Rmax_right; lra. Qed.

Lemma clamp_low b x : 0 <= b -> x <= - b -> clamp b x = - b.
Proof. intros Hb H; unfold clamp; rewrite Rmin_right, Rmax_left; lra. Qed.

(* The least noise, with the sign 1, gives the least output. *)
Lemma textbook_ge t x u s : draw u s -> double t -> t <= 0 <= x -> t <= x + rnd (LN u / 1) ->
  t <= textbook 1 x u s.
Proof.
  intros H D Hx Ht; rewrite <- (rnd_double t D); apply rnd_le.
  pose proof (noise_le u s H). destruct H as (_ & _ & [-> | ->]); lra.
Qed.

(* The output is above -b if no noise takes x below n - 1/2, where n > -b. *)
Lemma not_low (n : Z) b x u s : draw u s -> 0 < b -> (-2 ^ 51 <= n <= 0)%Z -> - b < IZR n -> 0 <= x ->
  IZR n - 1 / 2 <= x + rnd (LN u / 1) -> snap_unclamped 1 1 b x u s <> - b.
Proof.
  intros H Hb Hn Hbn Hx Hy; apply Rgt_not_eq; unfold snap_unclamped; apply clamp_gt; [easy|].
  apply Rlt_le_trans with (IZR n); [easy|apply round_half_up_1_ge].
  pose proof (IZR_le n 0 ltac:(lia)).
  apply (textbook_ge _ _ _ s); [easy| |lra|easy].
  replace (IZR n - 1 / 2) with (IZR (2 * n - 1) * bpow radix2 (-1)).
  - apply double_mult; lia.
  - rewrite minus_IZR, mult_IZR; simpl; lra.
Qed.

(* The output is -b if x + LN(2^-1074), a double, is below m + 1/2, where m <= -b. *)
Lemma low (m : Z) b x w : 0 <= b -> double w -> w = x - 0x1.74385446d71c3p+9 -> w < IZR m + 1 / 2 ->
  IZR m <= - b -> snap_unclamped 1 1 b x least 1 = - b.
Proof.
  intros Hb D E Hw Hm; unfold snap_unclamped; apply clamp_low; [easy|].
  unfold textbook; rewrite (noise_eq least 1 draw_least), LN_least.
  replace (x + 1 * - 0x1.74385446d71c3p+9) with w by lra. rewrite (rnd_double w D).
  apply Rle_trans with (IZR m); [|easy].
  unfold round_half_up; rewrite Rmult_1_l. apply IZR_le, Zlt_succ_le, lt_IZR.
  rewrite succ_IZR. apply Rle_lt_trans with (1 := Zfloor_lb _). lra.
Qed.

Lemma B_f_f' : 0 < f < f' /\ f' < B /\ 372 < B <= 373 /\ f - 0x1.74385446d71c3p+9 < - 372 - 1 / 2 /\
  f' - 0x1.74385446d71c3p+9 = - 372 - 1 / 2.
Proof. unfold B, f, f', Q2R; simpl; repeat split; lra. Qed.

Lemma snapF_f_least : snapF 1 1 B f least 1 = - B.
Proof.
  pose proof B_f_f'; unfold snapF; rewrite clamp_id by lra.
  apply (low (-373) _ _ (IZR (-0x17480000000001) * bpow radix2 (-44))); [lra|now apply double_mult|..|lra].
  - unfold f, Q2R; simpl; lra.
  - simpl; lra.
Qed.

(* Under f, the least double and the sign 1 give -B, and nothing else does. *)
Theorem snapF_f_only u s : draw u s -> (snapF 1 1 B f u s = - B <-> u = least /\ s = 1).
Proof.
  intros D; split; [|intros [-> ->]; apply snapF_f_least].
  pose proof B_f_f'; unfold snapF; rewrite clamp_id by lra; intros E.
  destruct (Req_dec u least) as [Hu|Hu].
  - split; [easy|]. destruct (proj2 (proj2 D)) as [|Hs]; [easy|exfalso].
    revert E; unfold snap_unclamped; apply Rgt_not_eq, clamp_gt; [lra|].
    apply Rlt_le_trans with 0; [lra|apply (round_half_up_1_ge 0)].
    apply Rle_trans with 0; [lra|]. unfold textbook.
    rewrite <- (rnd_double 0) by apply generic_format_0. apply rnd_le.
    pose proof (noise_le u s D); subst s; lra.
  - exfalso; revert E; apply (not_low (-372)); try lra; try lia; try easy.
    pose proof (noise_other u s D Hu). unfold f, Q2R in *; simpl in *; lra.
Qed.

(* Under the next double nothing gives -B. *)
Lemma snapF_f'_never u s : draw u s -> snapF 1 1 B f' u s <> - B.
Proof.
  pose proof B_f_f'; intros D; unfold snapF; rewrite clamp_id by lra.
  apply (not_low (-372)); try lra; try lia; try easy.
  pose proof (noise_ge u s D); lra.
Qed.

(* The snapping mechanism with eps = 1, L = 1, B = 372.00000000000017 is not eps'-private for any eps':
   between two consecutive doubles the loss at the output -B is infinite. *)
Theorem snapping_not_private :
  double f /\ f' = succ radix2 fexp f /\
  possible (snapF 1 1 B f) (- B) /\ ~ possible (snapF 1 1 B f') (- B) /\
  forall mass, law mass -> forall eps, ~ private mass eps (snapF 1 1 B f) (snapF 1 1 B f').
Proof.
  assert (P : possible (snapF 1 1 B f) (- B)).
  { exists least, 1; split; [apply draw_least|apply snapF_f_least]. }
  assert (N : ~ possible (snapF 1 1 B f') (- B)).
  { intros (u & s & D & E); exact (snapF_f'_never u s D E). }
  split; [exact f_double|split; [exact f'_next|]].
  split; [exact P|split; [exact N|exact (not_private _ _ _ P N)]].
Qed.

(* Without the clamp of the input a small B does not help: B = 1, the inputs 743 and 744. *)
Theorem unclamped_not_private :
  possible (snap_unclamped 1 1 1 743) (-1) /\ ~ possible (snap_unclamped 1 1 1 744) (-1) /\
  forall mass, law mass -> forall eps,
    ~ private mass eps (snap_unclamped 1 1 1 743) (snap_unclamped 1 1 1 744).
Proof.
  assert (P : possible (snap_unclamped 1 1 1 743) (-1)).
  { exists least, 1; split; [apply draw_least|].
    apply (low (-1) _ _ (IZR (-12667006579139) * bpow radix2 (-43))); try lra; [now apply double_mult|..];
      unfold Q2R; simpl; lra. }
  assert (N : ~ possible (snap_unclamped 1 1 1 744) (-1)).
  { intros (u & s & D & E); revert E. apply (not_low 0); try lra; try lia; try easy.
    pose proof (noise_ge u s D). unfold Q2R in *; simpl in *; lra. }
  split; [exact P|split; [exact N|exact (not_private _ _ _ P N)]].
Qed.

(* ** Textbook: eps = 1, the inputs 0 and 1 *)

Definition multiple (e : Z) (x : R) := exists n : Z, x = IZR n * bpow radix2 e.

Lemma multiple_coarser e c (m : Z) : (e <= c)%Z -> multiple e (IZR m * bpow radix2 c).
Proof.
  intros H; exists (m * 2 ^ (c - e))%Z.
  rewrite mult_IZR, (IZR_Zpower radix2) by lia. rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal; lia.
Qed.

(* A double at or above 2^(e+52) is a multiple of 2^e. *)
Lemma double_multiple e x : double x -> bpow radix2 (e + 52) <= Rabs x -> multiple e x.
Proof.
  intros D H. rewrite D. apply multiple_coarser.
  assert (Z.lt (e + 52) (mag radix2 x)) by now apply mag_gt_bpow.
  unfold cexp, fexp, FLT_exp; simpl; lia.
Qed.

(* A multiple of 2^e is rounded to a multiple of 2^e. *)
Lemma rnd_multiple e x : multiple e x -> multiple e (rnd x).
Proof.
  intros [n E]. destruct (Z.le_gt_cases e (cexp radix2 fexp x)) as [C|C].
  - now apply multiple_coarser.
  - exists n. rewrite rnd_double; [exact E|].
    rewrite E in *. apply generic_format_F2R; intros _. unfold F2R; simpl. lia.
Qed.

(* Below 0, the outputs under 1 are multiples of 2^-52. *)
Lemma textbook_1_negative u s : draw u s -> textbook 1 1 u s < 0 -> multiple (-52) (textbook 1 1 u s).
Proof.
  unfold textbook; intros (_ & _ & S) H; apply rnd_multiple.
  pose proof (double_rnd (LN u / 1)) as D; set (y := rnd (LN u / 1)) in *.
  assert (N : 1 + s * y < 0).
  { apply Rnot_le_lt; intros P; apply (Rlt_not_le _ _ H).
    rewrite <- (rnd_double 0) by apply generic_format_0. now apply rnd_le. }
  destruct (double_multiple (-52) y D) as [n ->].
  { change (1 <= Rabs y). destruct S as [-> | ->]; unfold Rabs; destruct Rcase_abs; lra. }
  destruct S as [-> | ->]; [exists (2 ^ 52 + n)%Z|exists (2 ^ 52 - n)%Z];
    rewrite ?plus_IZR, ?minus_IZR; simpl; lra.
Qed.

Lemma draw_last : draw (1 - bpow radix2 (-53)) 1.
Proof.
  split; [|simpl; lra].
  replace (1 - _) with (IZR (2 ^ 53 - 1) * bpow radix2 (-53)) by (rewrite minus_IZR; simpl; lra).
  now apply double_mult.
Qed.

(* The last double below 1 gives -2^-53 under 0. *)
Lemma textbook_0_last : textbook 1 0 (1 - bpow radix2 (-53)) 1 = - bpow radix2 (-53).
Proof.
  unfold textbook; rewrite (noise_eq _ 1 draw_last), Rplus_0_l, Rmult_1_l, rnd_double by apply double_rnd.
  rewrite (rnd_near (- 2 ^ 52) (-105)); [simpl; lra|lia|..].
  - rewrite Rabs_left; simpl; [split|]; interval with (i_prec 200).
  - simpl; interval with (i_prec 200).
Qed.

(* The textbook mechanism with eps = 1 is not eps'-private for any eps': 0 gives -2^-53, and 1 never does. *)
Theorem textbook_not_private :
  possible (textbook 1 0) (- bpow radix2 (-53)) /\ ~ possible (textbook 1 1) (- bpow radix2 (-53)) /\
  forall mass, law mass -> forall eps, ~ private mass eps (textbook 1 0) (textbook 1 1).
Proof.
  assert (P : possible (textbook 1 0) (- bpow radix2 (-53))).
  { exists (1 - bpow radix2 (-53)), 1; split; [apply draw_last|apply textbook_0_last]. }
  assert (N : ~ possible (textbook 1 1) (- bpow radix2 (-53))).
  { intros (u & s & D & E).
    destruct (textbook_1_negative u s D) as [n En]; rewrite E in *.
    - pose proof (bpow_gt_0 radix2 (-53)); lra.
    - assert (F : IZR (2 * n + 1) = IZR 0); [|apply eq_IZR in F; lia].
      rewrite plus_IZR, mult_IZR; simpl in En; lra. }
  split; [exact P|split; [exact N|exact (not_private _ _ _ P N)]].
Qed.

End Mechanisms.
