(** Addition, rounding and clamp.

    For a float [T], [T <= rnd t] asks on which side of the midpoint of [T] and the float below it [t] lies;
    at the midpoint itself the answer is fixed. Rounding to a grid asks which of its thresholds are at most
    [w], and the thresholds are floats. So the float addition [rnd (x + z)], the rounding to the grid and the
    clamp only look at the real sum [x + z], on one grid of midpoints that does not depend on [x]: they cost
    no privacy.

    No float is a midpoint. The midpoints are at most [2^(j - 54)] away from the middles between two
    multiples if these are less than [2^j], so that all cells have almost the width of the grid. *)

From Coq Require Import Reals ZArith Lra Lia.
From Flocq Require Import Core.
From Lastbit Require Export Double Snapping.
Open Scope R_scope.

(** * Midpoints *)

(** The float below [T], and the midpoint between. *)
Definition below (T : R) : R := pred radix2 fexp T.
Definition midpoint (T : R) : R := (below T + T) / 2.

Lemma below_lt T : below T < T.
Proof.
  destruct (Req_dec T 0) as [->|H]; [| now apply pred_lt_id].
  unfold below; rewrite pred_0; unfold fexp; rewrite (ulp_FLT_0 radix2 (-1074) 53).
  pose proof (bpow_gt_0 radix2 (-1074)); lra.
Qed.

Lemma below_F T : F T -> F (below T).
Proof. apply generic_format_pred, fexp_valid. Qed.

(** Rounding to nearest reaches [T] above the midpoint, does not below it, and at the midpoint it does or does
    not, whatever led there. *)
Theorem rnd_ge_iff T t :
  F T ->
  (T <= rnd t <-> midpoint T < t \/ t = midpoint T /\ T <= rnd (midpoint T)).
Proof.
  intros HT; pose proof (below_lt T) as Hb; split.
  - intros H; destruct (Rtotal_order t (midpoint T)) as [Ht|[Ht|Ht]].
    + assert (rnd t <= below T); [| lra].
      apply round_N_le_midp; [apply fexp_valid | now apply below_F |].
      unfold below at 2; rewrite succ_pred; [exact Ht | apply fexp_valid | exact HT].
    + right; rewrite <- Ht; now split.
    + now left.
  - intros [Ht|[-> H]]; [| exact H].
    apply round_N_ge_midp; [apply fexp_valid | exact HT |].
    unfold midpoint, below in Ht; lra.
Qed.

(** No float is a midpoint. *)
Lemma float_not_midpoint x T : F x -> F T -> x <> midpoint T.
Proof.
  intros Hx HT E; pose proof (below_lt T) as Hb.
  assert (x <= below T); [| unfold midpoint in E; lra].
  apply pred_ge_gt; try assumption; [apply fexp_valid | unfold midpoint in E; lra].
Qed.

(** Neighbours of numbers below [2^j] are at most [2^(j - 53)] away. *)
Lemma below_near T j :
  (-1021 <= j)%Z -> T <> 0 -> Rabs T < bpow radix2 j -> T - bpow radix2 (j - 53) <= below T.
Proof.
  intros Hj H0 HT.
  assert (Hm : (mag radix2 T <= j)%Z) by now apply mag_le_bpow.
  assert (U : ulp radix2 fexp T <= bpow radix2 (j - 53)).
  { rewrite ulp_neq_0 by exact H0; apply bpow_le; unfold cexp, fexp, FLT_exp; lia. }
  unfold below; destruct (Rle_or_lt T 0) as [N|P].
  - unfold pred; rewrite succ_eq_pos by lra; rewrite ulp_opp; lra.
  - rewrite pred_eq_pos by lra; unfold pred_pos.
    destruct (Req_bool_spec T (bpow radix2 (mag radix2 T - 1))) as [E|E]; [| lra].
    assert (bpow radix2 (fexp (mag radix2 T - 1)) <= bpow radix2 (j - 53)); [| lra].
    apply bpow_le; unfold fexp, FLT_exp; lia.
Qed.

(** * The grid of the multiples of [L] *)

(** Between [(n - 1) * L] and [n * L], and the first float that becomes [n * L]. *)
Definition middle (L : R) (n : Z) : R := (IZR n - / 2) * L.
Definition threshold (choice : Z -> bool) (L : R) (n : Z) : R :=
  if choice (n - 1)%Z then middle L n else succ radix2 fexp (middle L n).

Lemma middle_neq_0 L n : 0 < L -> middle L n <> 0.
Proof.
  intros HL H; apply Rmult_integral in H; destruct H as [H|H]; [| lra].
  assert (E : IZR (2 * n) = IZR 1) by (rewrite mult_IZR; lra).
  apply eq_IZR in E; lia.
Qed.

Lemma middle_opp L n : middle L (1 - n) = - middle L n.
Proof. unfold middle; rewrite minus_IZR; field. Qed.

Lemma middle_F k n :
  (-1073 <= k)%Z -> (1 - 2 ^ 52 <= n <= 2 ^ 52)%Z -> F (middle (bpow radix2 k) n).
Proof.
  intros Hk Hn; apply generic_format_FLT; exists (Float radix2 (2 * n - 1) (k - 1)); cbn [Fnum Fexp].
  - unfold F2R, middle; cbn [Fnum Fexp].
    rewrite minus_IZR, mult_IZR; unfold Zminus; rewrite bpow_plus.
    change (bpow radix2 (-(1))) with (/ 2); field.
  - change (Z.abs (2 * n - 1) < 2 * 2 ^ 52)%Z; lia.
  - lia.
Qed.

Lemma threshold_F choice L n : F (middle L n) -> F (threshold choice L n).
Proof.
  intros H; unfold threshold; destruct (choice (n - 1)%Z); [exact H |].
  apply generic_format_succ; [apply fexp_valid | exact H].
Qed.

(** The midpoint below a threshold is close to the middle: below it if the tie goes up, and above if it goes
    down. *)
Lemma midpoint_near choice L n j :
  (-1021 <= j)%Z -> F (middle L n) -> middle L n <> 0 -> Rabs (middle L n) < bpow radix2 j ->
  let g := midpoint (threshold choice L n) in
  if choice (n - 1)%Z then middle L n - bpow radix2 (j - 54) <= g < middle L n
  else middle L n < g <= middle L n + bpow radix2 (j - 54).
Proof.
  intros Hj HF H0 HT; unfold threshold; set (t := middle L n) in *.
  assert (E : bpow radix2 (j - 53) = 2 * bpow radix2 (j - 54)).
  { replace (j - 53)%Z with (1 + (j - 54))%Z by ring; rewrite bpow_plus; reflexivity. }
  destruct (choice (n - 1)%Z); unfold midpoint.
  - pose proof (below_near t j Hj H0 HT); pose proof (below_lt t); lra.
  - unfold below; rewrite pred_succ; [| apply fexp_valid | exact HF].
    pose proof (below_near (- t) j Hj ltac:(lra) ltac:(now rewrite Rabs_Ropp)) as Hb.
    pose proof (below_lt (- t)) as Hl.
    unfold below in *; rewrite pred_opp in Hb, Hl; lra.
Qed.

Lemma Znearest_ge choice n x :
  (n <= Znearest choice x)%Z <-> IZR n - / 2 < x \/ x = IZR n - / 2 /\ choice (n - 1)%Z = true.
Proof.
  pose proof (Zfloor_lb x) as Hl; pose proof (Zfloor_ub x) as Hu.
  assert (Hn : forall m, (n <= m)%Z -> IZR n <= IZR m) by (intros; now apply IZR_le).
  assert (Hn' : forall m, (m + 1 <= n)%Z -> IZR m + 1 <= IZR n)
    by (intros; rewrite <- plus_IZR; now apply IZR_le).
  unfold Znearest; set (m := Zfloor x) in *.
  assert (Hc : / 2 <= x - IZR m -> Zceil x = (m + 1)%Z) by (intros; apply Zceil_floor_neq; fold m; lra).
  destruct (Rcompare_spec (x - IZR m) (/ 2)) as [H|H|H].
  - split; [intros A; apply Hn in A; lra |]; intros A; apply Z.nlt_ge; intros A'.
    pose proof (Hn' m ltac:(lia)); lra.
  - rewrite Hc by lra; destruct (Z.eq_dec n (m + 1)) as [->|Hne].
    + replace (m + 1 - 1)%Z with m by ring; rewrite plus_IZR.
      destruct (choice m); split; try lia; [right; split; [lra | reflexivity] |].
      intros [A|[_ A]]; [lra | discriminate].
    + destruct (choice m); split; intros A.
      * pose proof (Hn m ltac:(lia)); lra.
      * apply Z.nlt_ge; intros A'; pose proof (Hn' (m + 1)%Z ltac:(lia)) as A''; rewrite plus_IZR in A''; lra.
      * pose proof (Hn m ltac:(lia)); lra.
      * apply Z.nlt_ge; intros A'; pose proof (Hn' m ltac:(lia)).
        assert (m + 1 + 1 <= n)%Z as A'' by lia; apply IZR_le in A''; rewrite !plus_IZR in A''; lra.
  - rewrite Hc by lra; split; intros A.
    + apply Hn in A; rewrite plus_IZR in A; lra.
    + apply Z.nlt_ge; intros A'; pose proof (Hn' (m + 1)%Z ltac:(lia)) as A''; rewrite plus_IZR in A''; lra.
Qed.

(** A float becomes at least [n * L] from its threshold on. *)
Lemma round_grid_ge choice L n w :
  0 < L -> F w -> F (middle L n) -> ((n <= Znearest choice (w / L))%Z <-> threshold choice L n <= w).
Proof.
  intros HL Hw HT; rewrite Znearest_ge; unfold threshold.
  assert (E : w = w / L * L) by (field; lra).
  assert (E1 : IZR n - / 2 < w / L <-> middle L n < w).
  { unfold middle; rewrite E at 2.
    split; intros H; [apply Rmult_lt_compat_r | apply Rmult_lt_reg_r in H]; lra. }
  assert (E2 : w / L = IZR n - / 2 <-> w = middle L n).
  { unfold middle; split; intros H; [rewrite E, H; reflexivity | rewrite H; field; lra]. }
  rewrite E1, E2; destruct (choice (n - 1)%Z).
  - split; [intros [H|[H _]]; lra | intros [H|H]; [left | right]; auto].
  - split; [intros [H|[_ H]]; [| discriminate] | intros H; left].
    { now apply succ_le_lt; [apply fexp_valid | | |]. }
    apply Rlt_le_trans with (2 := H); apply succ_gt_id; exact (middle_neq_0 L n HL).
Qed.

(** Outputs: [-B], multiples of [L] between, and [B].  [N * L] is the first multiple that is at least [B]. *)
Section Outputs.

Variables (choice : Z -> bool) (L B : R) (N : Z).
Hypothesis HL : 0 < L.
Hypothesis HB : 0 < B.
Hypothesis HN : (IZR N - 1) * L < B <= IZR N * L.
Hypothesis middles : forall n, (1 - N <= n <= N)%Z -> F (middle L n).

Definition output (w : R) : R := clamp B (round_grid choice L w).

Lemma N_at_least_1 : (1 <= N)%Z.
Proof.
  assert (H : 0 < IZR N) by (apply Rmult_lt_reg_r with L; lra); apply lt_IZR in H; lia.
Qed.

Lemma multiple_lt m n : IZR m * L < IZR n * L <-> (m < n)%Z.
Proof.
  split; intros H.
  - apply lt_IZR, Rmult_lt_reg_r with L; assumption.
  - apply Rmult_lt_compat_r; [exact HL | now apply IZR_lt].
Qed.

Lemma multiple_ge_B n : B <= IZR n * L <-> (N <= n)%Z.
Proof.
  split; intros H.
  - assert (N - 1 < n)%Z; [| lia]; apply multiple_lt; rewrite minus_IZR; lra.
  - apply Rle_trans with (IZR N * L); [lra |]; apply Rmult_le_compat_r; [lra | now apply IZR_le].
Qed.

Lemma multiple_le_opp_B n : IZR n * L <= - B <-> (n <= - N)%Z.
Proof.
  pose proof (multiple_ge_B (- n)) as H; rewrite opp_IZR in H; split; intros A.
  - assert (N <= - n)%Z by (apply H; lra); lia.
  - assert (B <= - IZR n * L) by (apply H; lia); lra.
Qed.

Lemma output_upper w : F w -> (output w = B <-> threshold choice L N <= w).
Proof.
  intros Hw; pose proof N_at_least_1; rewrite <- round_grid_ge by (assumption || (apply middles; lia)).
  rewrite <- multiple_ge_B; unfold output; fold (round_grid choice L w).
  destruct (clamp_cases B (round_grid choice L w) HB) as [[H1 ->]|[[H1 ->]|[H1 ->]]]; lra.
Qed.

Lemma output_lower w : F w -> (output w = - B <-> ~ threshold choice L (1 - N) <= w).
Proof.
  intros Hw; pose proof N_at_least_1; rewrite <- round_grid_ge by (assumption || (apply middles; lia)).
  assert (E : ~ (1 - N <= Znearest choice (w / L))%Z <-> (Znearest choice (w / L) <= - N)%Z) by lia.
  rewrite E, <- multiple_le_opp_B; unfold output; fold (round_grid choice L w).
  destruct (clamp_cases B (round_grid choice L w) HB) as [[H1 ->]|[[H1 ->]|[H1 ->]]]; lra.
Qed.

Lemma output_between n w :
  F w -> (1 - N <= n < N)%Z ->
  (output w = IZR n * L <-> threshold choice L n <= w /\ ~ threshold choice L (n + 1) <= w).
Proof.
  intros Hw Hn; rewrite <- !round_grid_ge by (assumption || (apply middles; lia)).
  assert (Hb : - B < IZR n * L < B).
  { split; apply Rnot_le_lt; [rewrite multiple_le_opp_B | rewrite multiple_ge_B]; lia. }
  unfold output; destruct (clamp_cases B (round_grid choice L w) HB) as [[H ->]|[[H ->]|[H ->]]];
    unfold round_grid in H; set (q := Znearest choice (w / L)) in *.
  - apply multiple_le_opp_B in H; split; [lra | lia].
  - apply multiple_ge_B in H; split; [lra | lia].
  - unfold round_grid; fold q; split; intros A.
    + apply Rmult_eq_reg_r in A; [apply eq_IZR in A; lia | lra].
    + f_equal; f_equal; lia.
Qed.

(** There are no other outputs. *)
Lemma output_cases w :
  output w = - B \/ output w = B \/ exists n, (1 - N <= n < N)%Z /\ output w = IZR n * L.
Proof.
  unfold output; destruct (clamp_cases B (round_grid choice L w) HB) as [[H ->]|[[H ->]|[H ->]]];
    [now left | now right; left | right; right].
  unfold round_grid in *; set (n := Znearest choice (w / L)) in *.
  exists n; split; [| reflexivity]; split.
  - assert (~ (n <= - N)%Z) by (rewrite <- multiple_le_opp_B; lra); lia.
  - assert (~ (N <= n)%Z) by (rewrite <- multiple_ge_B; lra); lia.
Qed.

End Outputs.
