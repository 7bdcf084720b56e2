(** Outputs that one input can give and its neighbour cannot, in binary64.

    Pure differential privacy fails as soon as one output has a positive probability under f and the
    probability 0 under f'. This file shows it for three mechanisms, for concrete doubles and a correctly
    rounded logarithm:

    - the snapping mechanism, once B*eps is about 372. No double in (0,1) is below 2^-1074, so the noise is at
      least LN(2^-1074) = -744.44..., and f is the last double from which this reaches -B;
    - the same without the clamp of its input, here for B = 1;
    - the textbook x + s*ln(u)/eps. Below 0, the outputs of x = 1 are multiples of 2^-52; x = 0 has others.

    Each mechanism is monotone in u, so the draws that give an output are consecutive doubles: an interval,
    whose probability is its length. If there is one such draw the length is positive. *)

From Coq Require Import Reals ZArith Lra Lia Qreals.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Lastbit Require RealRules.
From Lastbit Require Import Lengths FloatSum FloatNoise FloatLn FloatSnap.
Open Scope R_scope.

(** What a mechanism draws: a double in (0,1) and a sign. *)
Definition draw (u s : R) := F u /\ 0 < u < 1 /\ (s = 1 \/ s = -1).

Definition possible (M : R -> R -> R) (r : R) := exists u s, draw u s /\ M u s = r.

(** The law of the draw, as in FloatSnap.v: u is the double below a uniform U, so that it has a probability
    in proportion to its ulp, and s is a fair coin. None: there is no positive double below U, draw again. All
    probabilities are too small by the same factor 1 - tiny. *)
Definition sampled (M : R -> R -> R) (U s : R) : option R :=
  if Rlt_dec U tiny then None else Some (M (float_below U) s).

(** The output r has a positive probability under M and the probability 0 under M'. *)
Definition infinite_loss (M M' : R -> R -> option R) (r : R) :=
  exists p, 0 < p /\ has_prob M (Some r) p /\ has_prob M' (Some r) 0.

(** So no factor, e^eps or other, covers the ratio. *)
Lemma infinite_loss_ratio M M' r : infinite_loss M M' r -> forall c, ~ ratio_at_most c M M' r.
Proof.
  intros (p & Hp & H & H') c (q & q' & Hq & Hq' & E).
  rewrite (has_prob_unique _ _ _ _ Hq H), (has_prob_unique _ _ _ _ Hq' H') in E; lra.
Qed.

(** * From possible to probable *)

Lemma sampled_some M U s r : sampled M U s = Some r <-> tiny <= U /\ M (float_below U) s = r.
Proof.
  unfold sampled; destruct (Rlt_dec U tiny); split; try easy.
  - intros [H _]; lra.
  - intros H; injection H; split; [lra|easy].
  - now intros [_ ->].
Qed.

Lemma draw_below U s : tiny <= U < 1 -> s = 1 \/ s = -1 -> draw (float_below U) s.
Proof. intros H S; destruct (float_below_spec U H) as (D & I & _); now split. Qed.

(** For each sign the draws with the output r are consecutive doubles. *)
Definition consecutive (M : R -> R -> R) (r : R) :=
  forall u v w s, draw u s -> draw v s -> draw w s -> u <= v <= w -> M u s = r -> M w s = r -> M v s = r.

(** Then they have a length: they are those that have one of them above, without those below all of them. *)
Lemma consecutive_length M r s : consecutive M r -> s = 1 \/ s = -1 ->
  exists l, has_length (fun U => sampled M U s = Some r) l.
Proof.
  intros C S.
  set (Q U := exists V, U <= V < 1 /\ M (float_below V) s = r).
  assert (Mon : forall U V, U <= V -> float_below U <= float_below V).
  { intros U V; apply round_le; [apply fexp_valid|apply valid_rnd_DN]. }
  destruct (cut_exists (fun U => Q U /\ M (float_below U) s <> r)) as [V CV].
  { intros U V HU HV [(W & HW & E) N]; split; [exists W; split; [lra|easy]|intros E'; apply N].
    apply (C (float_below U) _ (float_below W)); try (apply draw_below; [lra|easy]); try easy.
    split; apply Mon; lra. }
  destruct (cut_exists Q) as [V' CV'].
  { intros U V0 HU HV (W & HW & E); exists W; split; [lra|easy]. }
  exists (V' - V); refine (has_length_cuts _ _ _ _ _ CV CV' _ _); [tauto|].
  intros U HU; rewrite sampled_some; split.
  - intros [HT E]; split; [easy|split; [exists U; split; [lra|easy]|tauto]].
  - intros (HT & q & N); split; [easy|].
    destruct (Req_dec (M (float_below U) s) r); tauto.
Qed.

(** What is possible is probable: one double alone is drawn with a positive probability. *)
Lemma possible_prob M r : consecutive M r -> possible M r ->
  exists p, 0 < p /\ has_prob (sampled M) (Some r) p.
Proof.
  intros C (u & s & (D & I & S) & E).
  destruct (consecutive_length M r 1 C) as [lp Hp]; [now left|].
  destruct (consecutive_length M r (-1) C) as [ln Hn]; [now right|].
  exists ((lp + ln) / 2); split; [|now exists lp, ln].
  set (g := ulp radix2 fexp u); set (b := Rmin 1 (u + g)).
  assert (G : 0 < g) by (unfold g; rewrite ulp_neq_0 by lra; apply bpow_gt_0).
  assert (B : u < b <= 1) by (unfold b, Rmin; destruct Rle_dec; lra).
  assert (L : has_length (fun U => u < U < b) (b - u)) by (exists u, b; repeat split; intros; lra).
  assert (In : forall U, 0 < U < 1 -> u < U < b -> sampled M U s = Some r).
  { intros U _ H; pose proof (Rmin_r 1 (u + g)) as Hb; fold b in Hb. pose proof (tiny_le u D (proj1 I)).
    apply sampled_some; split; [lra|].
    rewrite (proj2 (float_below_eq u U D (Rlt_le _ _ (proj1 I)))); [exact E|fold g; lra]. }
  pose proof (has_length_bounds _ _ Hp); pose proof (has_length_bounds _ _ Hn).
  destruct S as [-> | ->]; [pose proof (has_length_le _ _ _ _ In L Hp)|
                            pose proof (has_length_le _ _ _ _ In L Hn)]; lra.
Qed.

(** An output that is possible under one and impossible under the other. *)
Lemma possible_infinite_loss M M' r : consecutive M r -> possible M r -> ~ possible M' r ->
  infinite_loss (sampled M) (sampled M') r.
Proof.
  intros C P N; destruct (possible_prob M r C P) as (p & Hp & H); exists p; repeat split; try easy.
  apply event_prob_empty; intros U s HU S E; apply sampled_some in E; destruct E as [T E].
  apply N; exists (float_below U), s; split; [apply draw_below; [lra|easy]|exact E].
Qed.

(** * The least double *)

Lemma draw_tiny : draw tiny 1.
Proof.
  split; [|split; [split|now left]].
  - apply generic_format_bpow; unfold fexp, FLT_exp; lia.
  - apply bpow_gt_0.
  - apply (bpow_lt radix2 _ 0); lia.
Qed.

(** The next one is twice as large. *)
Lemma tiny_or_twice u : F u -> 0 < u -> u = tiny \/ bpow radix2 (-1073) <= u.
Proof.
  intros D H. apply FLT_format_generic in D; [|easy].
  destruct D as [[m e] -> _ He]; simpl in He.
  apply gt_0_F2R in H; unfold F2R; cbn [Fnum Fexp] in *.
  destruct (Z.eq_dec m 1) as [->|Hm]; [destruct (Z.eq_dec e (-1074)) as [->|]|].
  - left; unfold tiny; lra.
  - right; rewrite Rmult_1_l; apply bpow_le; lia.
  - right. change (-1073)%Z with (1 + -1074)%Z; rewrite bpow_plus.
    apply Rmult_le_compat; try apply bpow_ge_0; [|now apply bpow_le].
    apply (IZR_le 2); lia.
Qed.

Lemma ln_bpow e : ln (bpow radix2 e) = IZR e * ln 2.
Proof. rewrite bpow_exp, ln_exp; reflexivity. Qed.

(** * The mechanisms *)

Section Mechanisms.

(** A correctly rounded logarithm. *)
Variable LN : R -> R.
Hypothesis LN_correct : correctly_rounded_ln LN.

(** The textbook Laplace mechanism; snapping without and with the clamp of the input. *)
Definition textbook (eps x u s : R) := rnd (x + s * rnd (LN u / eps)).
Definition snap_unclamped (eps L B x u s : R) := clamp B (round_grid ties_up L (textbook eps x u s)).
Definition snapF (eps L B x u s : R) := snap_unclamped eps L B (clamp B x) u s.

(** This is the mechanism of FloatSnap.v. *)
Lemma snap_snapF eps L B x :
  snap ties_up (fun u => rnd (LN u / eps)) L B x = sampled (snapF eps L B x).
Proof. reflexivity. Qed.

(** Each step is monotone, so the draws with one output are consecutive. *)
Lemma textbook_consecutive (g : R -> R) eps x r :
  (forall y z, y <= z -> g y <= g z) -> 0 < eps -> consecutive (fun u s => g (textbook eps x u s)) r.
Proof.
  intros G He u v w s Du Dv Dw H Eu Ew.
  assert (Mon : forall a b, draw a s -> draw b s -> a <= b -> rnd (LN a / eps) <= rnd (LN b / eps)).
  { intros a b (Fa & Ia & _) (Fb & Ib & _) Hab. rewrite !LN_correct by easy.
    apply rnd_le, Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat|].
    apply rnd_le, RealRules.ln_le; lra. }
  pose proof (Mon u v Du Dv ltac:(lra)); pose proof (Mon v w Dv Dw ltac:(lra)).
  unfold textbook in *; destruct Du as (_ & _ & [-> | ->]); apply Rle_antisym.
  - rewrite <- Ew; apply G, rnd_le; lra.
  - rewrite <- Eu; apply G, rnd_le; lra.
  - rewrite <- Eu; apply G, rnd_le; lra.
  - rewrite <- Ew; apply G, rnd_le; lra.
Qed.

Lemma unclamped_consecutive eps L B x r : 0 < eps -> 0 < L -> consecutive (snap_unclamped eps L B x) r.
Proof.
  intros He HL; apply (textbook_consecutive (fun y => clamp B (round_grid ties_up L y))); [|easy].
  intros y z H; apply Rle_max_compat_l, Rle_min_compat_l, Rmult_le_compat_r; [lra|].
  apply IZR_le, (@Zrnd_le _ (valid_rnd_N ties_up)), Rmult_le_compat_r; [|easy].
  now apply Rlt_le, Rinv_0_lt_compat.
Qed.

Lemma noise_eq u s : draw u s -> rnd (LN u / 1) = rnd (ln u).
Proof.
  intros (D & I & _). replace (LN u / 1) with (rnd (ln u)); [apply rnd_id, rnd_F|].
  rewrite (LN_correct u D I); field.
Qed.

(** The least double gives -744.44...: within half an ulp, by interval arithmetic. *)
Lemma LN_tiny : rnd (ln tiny) = - 0x1.74385446d71c3p+9.
Proof.
  unfold tiny; rewrite ln_bpow.
  rewrite (rnd_is (-6548164122079683) (-43)); [|lia|..].
  - unfold Q2R; simpl; lra.
  - rewrite Rabs_left by interval with (i_prec 80). simpl; split; interval with (i_prec 80).
  - simpl; interval with (i_prec 80).
Qed.

(** No noise is below it. *)
Lemma noise_ge u s : draw u s -> - 0x1.74385446d71c3p+9 <= rnd (LN u / 1).
Proof.
  intros H; rewrite (noise_eq u s H), <- LN_tiny; destruct H as (D & I & _).
  apply rnd_le, RealRules.ln_le; [apply bpow_gt_0|now apply tiny_le].
Qed.

Lemma noise_le u s : draw u s -> rnd (LN u / 1) <= 0.
Proof.
  intros H; rewrite (noise_eq u s H); destruct H as (D & I & _).
  rewrite <- (rnd_id 0) by apply generic_format_0.
  apply rnd_le; rewrite <- ln_1; apply RealRules.ln_le; lra.
Qed.

(** That of every other double is at least -744. *)
Lemma noise_other u s : draw u s -> u <> tiny -> -744 <= rnd (LN u / 1).
Proof.
  intros H N; rewrite (noise_eq u s H); destruct H as (D & I & _).
  destruct (tiny_or_twice u D (proj1 I)) as [|T]; [easy|].
  rewrite <- (rnd_id (-744)).
  - apply rnd_le. apply Rle_trans with (ln (bpow radix2 (-1073))).
    + rewrite ln_bpow; interval with (i_prec 80).
    + apply RealRules.ln_le; [apply bpow_gt_0|exact T].
  - replace (-744) with (IZR (-744) * bpow radix2 0) by (simpl; lra). now apply dyadic_F.
Qed.

(** * Snapping: eps = 1, L = 1 *)

Definition witness_B := 0x1.7400000000003p+8.   (* 372.00000000000017 *)
Definition witness_f := 0x1.73f0a88dae385p+8.
Definition witness_f' := 0x1.73f0a88dae386p+8.

Lemma witness_f_F : F witness_f.
Proof.
  replace witness_f with (IZR 0x173f0a88dae385 * bpow radix2 (-44)) by (unfold witness_f, Q2R; simpl; lra).
  now apply dyadic_F.
Qed.

(** f' is the next double. *)
Lemma witness_f'_next : witness_f' = succ radix2 fexp witness_f.
Proof.
  rewrite succ_eq_pos by (unfold witness_f, Q2R; simpl; lra).
  rewrite ulp_neq_0 by (unfold witness_f, Q2R; simpl; lra).
  unfold cexp; rewrite (mag_unique radix2 witness_f 9).
  - unfold witness_f, witness_f', Q2R; simpl; lra.
  - rewrite Rabs_right; unfold witness_f, Q2R; simpl; lra.
Qed.

(** What is at least n - 1/2 is rounded to at least n. *)
Lemma round_up_1_ge (n : Z) w : IZR n - 1 / 2 <= w -> IZR n <= round_grid ties_up 1 w.
Proof.
  intros H; rewrite round_grid_up; unfold round_half_up, cell_of; rewrite Rmult_1_l.
  apply IZR_le, Zfloor_lub; lra.
Qed.

Lemma clamp_not_low b x : 0 < b -> - b < x -> clamp b x <> - b.
Proof. intros Hb Hx; rewrite clamp_bottom; lra. Qed.

(** The least noise, with the sign 1, gives the least output. *)
Lemma textbook_ge t x u s : draw u s -> F t -> t <= 0 <= x -> t <= x + rnd (LN u / 1) ->
  t <= textbook 1 x u s.
Proof.
  intros H D Hx Ht; rewrite <- (rnd_id t D); apply rnd_le.
  pose proof (noise_le u s H). destruct H as (_ & _ & [-> | ->]); lra.
Qed.

(** The output is above -b if no noise takes x below n - 1/2, where n > -b. *)
Lemma not_low (n : Z) b x u s : draw u s -> 0 < b -> (-2 ^ 51 <= n <= 0)%Z -> - b < IZR n -> 0 <= x ->
  IZR n - 1 / 2 <= x + rnd (LN u / 1) -> snap_unclamped 1 1 b x u s <> - b.
Proof.
  intros H Hb Hn Hbn Hx Hy; unfold snap_unclamped; apply clamp_not_low; [easy|].
  apply Rlt_le_trans with (IZR n); [easy|apply round_up_1_ge].
  pose proof (IZR_le n 0 ltac:(lia)).
  apply (textbook_ge _ _ _ s); [easy| |lra|easy].
  replace (IZR n - 1 / 2) with (IZR (2 * n - 1) * bpow radix2 (-1)).
  - apply dyadic_F; lia.
  - rewrite minus_IZR, mult_IZR; simpl; lra.
Qed.

(** The output is -b if x + LN(2^-1074), a double, is below m + 1/2, where m <= -b. *)
Lemma low (m : Z) b x w : 0 < b -> F w -> w = x - 0x1.74385446d71c3p+9 -> w < IZR m + 1 / 2 ->
  IZR m <= - b -> snap_unclamped 1 1 b x tiny 1 = - b.
Proof.
  intros Hb D E Hw Hm; unfold snap_unclamped; apply clamp_bottom; [easy|].
  unfold textbook; rewrite (noise_eq tiny 1 draw_tiny), LN_tiny.
  replace (x + 1 * - 0x1.74385446d71c3p+9) with w by lra. rewrite (rnd_id w D).
  apply Rle_trans with (IZR m); [|easy].
  rewrite round_grid_up; unfold round_half_up, cell_of; rewrite Rmult_1_l. apply IZR_le, Zlt_succ_le, lt_IZR.
  rewrite succ_IZR. apply Rle_lt_trans with (1 := Zfloor_lb _). lra.
Qed.

Lemma witness_numbers :
  0 < witness_f < witness_f' /\ witness_f' < witness_B /\ 372 < witness_B <= 373 /\
  witness_f - 0x1.74385446d71c3p+9 < - 372 - 1 / 2 /\ witness_f' - 0x1.74385446d71c3p+9 = - 372 - 1 / 2.
Proof. unfold witness_B, witness_f, witness_f', Q2R; simpl; repeat split; lra. Qed.

Lemma snapF_f_tiny : snapF 1 1 witness_B witness_f tiny 1 = - witness_B.
Proof.
  pose proof witness_numbers; unfold snapF; rewrite clamp_id by lra.
  apply (low (-373) _ _ (IZR (-0x17480000000001) * bpow radix2 (-44))); [lra|now apply dyadic_F|..|lra].
  - unfold witness_f, Q2R; simpl; lra.
  - simpl; lra.
Qed.

(** Under f, the least double and the sign 1 give -B, and nothing else does. *)
Theorem snapF_f_only u s : draw u s ->
  (snapF 1 1 witness_B witness_f u s = - witness_B <-> u = tiny /\ s = 1).
Proof.
  intros D; split; [|intros [-> ->]; apply snapF_f_tiny].
  pose proof witness_numbers; unfold snapF; rewrite clamp_id by lra; intros E.
  destruct (Req_dec u tiny) as [Hu|Hu].
  - split; [easy|]. destruct (proj2 (proj2 D)) as [|Hs]; [easy|exfalso].
    revert E; unfold snap_unclamped; apply clamp_not_low; [lra|].
    apply Rlt_le_trans with 0; [lra|apply (round_up_1_ge 0)].
    apply Rle_trans with 0; [lra|]. unfold textbook.
    rewrite <- (rnd_id 0) by apply generic_format_0. apply rnd_le.
    pose proof (noise_le u s D); subst s; lra.
  - exfalso; revert E; apply (not_low (-372)); try lra; try lia; try easy.
    pose proof (noise_other u s D Hu). unfold witness_f, Q2R in *; simpl in *; lra.
Qed.

(** Under the next double nothing gives -B. *)
Lemma snapF_f'_never u s : draw u s -> snapF 1 1 witness_B witness_f' u s <> - witness_B.
Proof.
  pose proof witness_numbers; intros D; unfold snapF; rewrite clamp_id by lra.
  apply (not_low (-372)); try lra; try lia; try easy.
  pose proof (noise_ge u s D); lra.
Qed.

(** The snapping mechanism with eps = 1, L = 1, B = 372.00000000000017 is not eps'-private for any eps':
    between two consecutive doubles the loss at the output -B is infinite. *)
Theorem snapping_not_private :
  F witness_f /\ witness_f' = succ radix2 fexp witness_f /\
  possible (snapF 1 1 witness_B witness_f) (- witness_B) /\
  ~ possible (snapF 1 1 witness_B witness_f') (- witness_B) /\
  infinite_loss (snap ties_up (fun u => rnd (LN u / 1)) 1 witness_B witness_f)
    (snap ties_up (fun u => rnd (LN u / 1)) 1 witness_B witness_f') (- witness_B).
Proof.
  assert (P : possible (snapF 1 1 witness_B witness_f) (- witness_B)).
  { exists tiny, 1; split; [apply draw_tiny|apply snapF_f_tiny]. }
  assert (N : ~ possible (snapF 1 1 witness_B witness_f') (- witness_B)).
  { intros (u & s & D & E); exact (snapF_f'_never u s D E). }
  split; [exact witness_f_F|split; [exact witness_f'_next|]].
  split; [exact P|split; [exact N|]].
  rewrite !snap_snapF; apply possible_infinite_loss; [apply unclamped_consecutive; lra|exact P|exact N].
Qed.

(** Without the clamp of the input a small B does not help: B = 1, the inputs 743 and 744. *)
Theorem unclamped_not_private :
  possible (snap_unclamped 1 1 1 743) (-1) /\ ~ possible (snap_unclamped 1 1 1 744) (-1) /\
  infinite_loss (sampled (snap_unclamped 1 1 1 743)) (sampled (snap_unclamped 1 1 1 744)) (-1).
Proof.
  assert (P : possible (snap_unclamped 1 1 1 743) (-1)).
  { exists tiny, 1; split; [apply draw_tiny|].
    apply (low (-1) _ _ (IZR (-12667006579139) * bpow radix2 (-43))); try lra; [now apply dyadic_F|..];
      unfold Q2R; simpl; lra. }
  assert (N : ~ possible (snap_unclamped 1 1 1 744) (-1)).
  { intros (u & s & D & E); revert E. apply (not_low 0); try lra; try lia; try easy.
    pose proof (noise_ge u s D). unfold Q2R in *; simpl in *; lra. }
  split; [exact P|split; [exact N|]].
  apply possible_infinite_loss; [apply unclamped_consecutive; lra|exact P|exact N].
Qed.

(** * Textbook: eps = 1, the inputs 0 and 1 *)

(** A multiple of 2^e is rounded to a multiple of 2^e. *)
Lemma rnd_multiple e x : multiple e x -> multiple e (rnd x).
Proof.
  intros [n E]. destruct (Z.le_gt_cases e (cexp radix2 fexp x)) as [C|C].
  - now apply multiple_coarser.
  - exists n. rewrite rnd_id; [exact E|].
    rewrite E in *. apply generic_format_F2R; intros _. unfold F2R; simpl. lia.
Qed.

(** Below 0, the outputs under 1 are multiples of 2^-52. *)
Lemma textbook_1_negative u s : draw u s -> textbook 1 1 u s < 0 -> multiple (-52) (textbook 1 1 u s).
Proof.
  unfold textbook; intros (_ & _ & S) H; apply rnd_multiple.
  pose proof (rnd_F (LN u / 1)) as D; set (y := rnd (LN u / 1)) in *.
  assert (N : 1 + s * y < 0).
  { apply Rnot_le_lt; intros P; apply (Rlt_not_le _ _ H).
    rewrite <- (rnd_id 0) by apply generic_format_0. now apply rnd_le. }
  destruct (F_multiple (-52) y D) as [n ->].
  { change (1 <= Rabs y). destruct S as [-> | ->]; unfold Rabs; destruct Rcase_abs; lra. }
  destruct S as [-> | ->]; [exists (2 ^ 52 + n)%Z|exists (2 ^ 52 - n)%Z];
    rewrite ?plus_IZR, ?minus_IZR; simpl; lra.
Qed.

Lemma draw_last : draw (1 - bpow radix2 (-53)) 1.
Proof.
  split; [|simpl; lra].
  replace (1 - _) with (IZR (2 ^ 53 - 1) * bpow radix2 (-53)) by (rewrite minus_IZR; simpl; lra).
  now apply dyadic_F.
Qed.

(** The last double below 1 gives -2^-53 under 0. *)
Lemma textbook_0_last : textbook 1 0 (1 - bpow radix2 (-53)) 1 = - bpow radix2 (-53).
Proof.
  unfold textbook; rewrite (noise_eq _ 1 draw_last), Rplus_0_l, Rmult_1_l, rnd_id by apply rnd_F.
  rewrite (rnd_is (- 2 ^ 52) (-105)); [simpl; lra|lia|..].
  - rewrite Rabs_left; simpl; [split|]; interval with (i_prec 200).
  - simpl; interval with (i_prec 200).
Qed.

(** The textbook mechanism with eps = 1 is not eps'-private for any eps': 0 gives -2^-53, and 1 never does. *)
Theorem textbook_not_private :
  possible (textbook 1 0) (- bpow radix2 (-53)) /\ ~ possible (textbook 1 1) (- bpow radix2 (-53)) /\
  infinite_loss (sampled (textbook 1 0)) (sampled (textbook 1 1)) (- bpow radix2 (-53)).
Proof.
  assert (P : possible (textbook 1 0) (- bpow radix2 (-53))).
  { exists (1 - bpow radix2 (-53)), 1; split; [apply draw_last|apply textbook_0_last]. }
  assert (N : ~ possible (textbook 1 1) (- bpow radix2 (-53))).
  { intros (u & s & D & E).
    destruct (textbook_1_negative u s D) as [n En]; rewrite E in *.
    - pose proof (bpow_gt_0 radix2 (-53)); lra.
    - assert (F : IZR (2 * n + 1) = IZR 0); [|apply eq_IZR in F; lia].
      rewrite plus_IZR, mult_IZR; simpl in En; lra. }
  split; [exact P|split; [exact N|]].
  apply possible_infinite_loss; [|exact P|exact N]. apply (textbook_consecutive (fun y => y)); [easy|lra].
Qed.

End Mechanisms.
