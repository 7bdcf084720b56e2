(** Outputs that one input can give and its neighbour can not, in binary64.

    Pure differential privacy fails as soon as one output is possible under f and impossible under f'. This
    file shows it for three mechanisms, for concrete doubles and a correctly rounded logarithm:

    - the snapping mechanism, once B*eps is about 372. No double in (0,1) is below 2^-1074, so the noise is at
      least LN(2^-1074) = -744.44..., and f is the last double from which this reaches -B;
    - the same without the clamp of its input, here for B = 1;
    - the textbook x + s*ln(u)/eps. Below 0, the outputs of x = 1 are multiples of 2^-52; x = 0 has others. *)

From Coq Require Import Reals ZArith Lra Lia Qreals.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Lastbit Require RealRules.
From Lastbit Require Import FloatSum FloatNoise FloatLn FloatSnap.
Open Scope R_scope.

(** What a mechanism draws: a double in (0,1) and a sign. *)
Definition draw (u s : R) := F u /\ 0 < u < 1 /\ (s = 1 \/ s = -1).

Definition possible (M : R -> R -> R) (r : R) := exists u s, draw u s /\ M u s = r.

(** A law of (u, s) under which every draw has positive probability, such as u in proportion to its ulp and a
    fair s; mass is the probability of an event. *)
Definition law (mass : (R -> R -> Prop) -> R) :=
  (forall E : R -> R -> Prop, (forall u s, draw u s -> ~ E u s) -> mass E = 0) /\
  (forall (E : R -> R -> Prop) u s, draw u s -> E u s -> 0 < mass E).

(** Each output is at most e^eps times as likely under M as under M'. *)
Definition private mass (eps : R) (M M' : R -> R -> R) :=
  forall r, mass (fun u s => M u s = r) <= exp eps * mass (fun u s => M' u s = r).

(** An output that is possible under one and impossible under the other excludes every eps. *)
Lemma not_private M M' r : possible M r -> ~ possible M' r ->
  forall mass, law mass -> forall eps, ~ private mass eps M M'.
Proof.
  intros (u & s & D & H) N mass [Z P] eps Hp.
  specialize (Hp r).
  rewrite (Z (fun u s => M' u s = r)), Rmult_0_r in Hp.
  - apply Rle_not_lt in Hp; apply Hp, (P _ u s); assumption.
  - intros u' s' D' H'; apply N; exists u', s'; now split.
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

(** This is the mechanism of FloatSnap.v, where u is the double below a uniform U. *)
Lemma snap_snapF eps L B x U s : tiny <= U ->
  snap ties_up (fun u => rnd (LN u / eps)) L B x U s = Some (snapF eps L B x (float_below U) s).
Proof. intros H; unfold snap; destruct (Rlt_dec U tiny); [lra|reflexivity]. Qed.

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
  forall mass, law mass -> forall eps,
    ~ private mass eps (snapF 1 1 witness_B witness_f) (snapF 1 1 witness_B witness_f').
Proof.
  assert (P : possible (snapF 1 1 witness_B witness_f) (- witness_B)).
  { exists tiny, 1; split; [apply draw_tiny|apply snapF_f_tiny]. }
  assert (N : ~ possible (snapF 1 1 witness_B witness_f') (- witness_B)).
  { intros (u & s & D & E); exact (snapF_f'_never u s D E). }
  split; [exact witness_f_F|split; [exact witness_f'_next|]].
  split; [exact P|split; [exact N|exact (not_private _ _ _ P N)]].
Qed.

(** Without the clamp of the input a small B does not help: B = 1, the inputs 743 and 744. *)
Theorem unclamped_not_private :
  possible (snap_unclamped 1 1 1 743) (-1) /\ ~ possible (snap_unclamped 1 1 1 744) (-1) /\
  forall mass, law mass -> forall eps,
    ~ private mass eps (snap_unclamped 1 1 1 743) (snap_unclamped 1 1 1 744).
Proof.
  assert (P : possible (snap_unclamped 1 1 1 743) (-1)).
  { exists tiny, 1; split; [apply draw_tiny|].
    apply (low (-1) _ _ (IZR (-12667006579139) * bpow radix2 (-43))); try lra; [now apply dyadic_F|..];
      unfold Q2R; simpl; lra. }
  assert (N : ~ possible (snap_unclamped 1 1 1 744) (-1)).
  { intros (u & s & D & E); revert E. apply (not_low 0); try lra; try lia; try easy.
    pose proof (noise_ge u s D). unfold Q2R in *; simpl in *; lra. }
  split; [exact P|split; [exact N|exact (not_private _ _ _ P N)]].
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
