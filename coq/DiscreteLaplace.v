(** The discrete Laplace distribution, how it is sampled, and the loss of the grid mechanism.

    P(z) = (1-q)/(1+q) * q^|z| over the integers, q = e^(-1/s): [dlap] and [decay]. It is positive and sums
    to 1, and P(z) <= e^(|j|/s) * P(z+j), with equality at z = 0. So the grid mechanism, which adds it to
    rounded values, has the loss (distance of the rounded values in cells)/s, where s = scale/2^k;
    GridLaplace.v bounds that distance. All of it is stated for each output.

    It is sampled from one uniform U and a fair sign: Z = sign * floor(s*E + c) with E = -ln U and
    c = s*ln(2/(1+q)). The set of the U with floor(s*E + c) >= j is (0, e^((c-j)/s)], of length 2*q^j/(1+q),
    which is the tail of the distribution. *)

From Coq Require Import Reals ZArith List Lra Lia.
From Flocq Require Import Core.
From Lastbit Require Import Lengths Double GridLaplace.
Import ListNotations.
Open Scope R_scope.

Definition decay (s : R) : R := exp (- (1 / s)).
Definition dlap (s : R) (z : Z) : R := (1 - decay s) / (1 + decay s) * decay s ^ Z.abs_nat z.

Section DiscreteLaplace.

Variable s : R.
Hypothesis s_pos : 0 < s.

Lemma decay_bounds : 0 < decay s < 1.
Proof.
  split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing.
  pose proof (Rdiv_lt_0_compat 1 s ltac:(lra) s_pos); lra.
Qed.

Lemma decay_pow (n : nat) : decay s ^ n = exp (- (INR n / s)).
Proof.
  induction n as [|n IH]; [simpl; unfold Rdiv; now rewrite Rmult_0_l, Ropp_0, exp_0|].
  cbn [pow]; rewrite IH, S_INR; unfold decay; rewrite <- exp_plus. f_equal; field; lra.
Qed.

Lemma dlap_exp z : dlap s z = (1 - decay s) / (1 + decay s) * exp (- (IZR (Z.abs z) / s)).
Proof. unfold dlap. now rewrite decay_pow, INR_IZR_INZ, Zabs2Nat.id_abs. Qed.

(** * A distribution *)

Theorem dlap_positive z : 0 < dlap s z.
Proof.
  pose proof decay_bounds. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply pow_lt; lra].
Qed.

(** P(-n) + ... + P(n) *)
Fixpoint dlap_window (n : nat) : R :=
  match n with
  | O => dlap s 0
  | S m => dlap s (- Z.of_nat n) + dlap_window m + dlap s (Z.of_nat n)
  end.

Lemma dlap_window_eq n : dlap_window n = 1 - 2 * decay s ^ S n / (1 + decay s).
Proof.
  pose proof decay_bounds.
  induction n as [|n IH]; cbn [dlap_window]; unfold dlap; [simpl; field; lra|].
  rewrite IH, Zabs2Nat.id. replace (Z.abs_nat (- Z.of_nat (S n))) with (S n) by lia.
  simpl; field; lra.
Qed.

(** It sums to 1. (All terms are positive, so the order of summation does not matter.) *)
Theorem dlap_sums_to_1 : Un_cv dlap_window 1.
Proof.
  pose proof decay_bounds. intros eps Heps.
  destruct (pow_lt_1_zero (decay s) ltac:(rewrite Rabs_right; lra) eps Heps) as [N HN].
  exists N; intros n Hn; specialize (HN n Hn). unfold R_dist; rewrite dlap_window_eq.
  replace (_ - 1) with (- (2 * decay s / (1 + decay s) * decay s ^ n)) by (simpl; field; lra).
  rewrite Rabs_Ropp, Rabs_mult. apply Rle_lt_trans with (2 := HN).
  rewrite <- (Rmult_1_l (Rabs (decay s ^ n))) at 2. apply Rmult_le_compat_r; [apply Rabs_pos|].
  rewrite Rabs_right by (left; apply Rdiv_lt_0_compat; lra).
  apply Rmult_le_reg_r with (1 + decay s); [lra|]. field_simplify; lra.
Qed.

(** * The loss *)

(** Moving by j changes a probability by a factor of at most e^(|j|/s), ... *)
Theorem dlap_ratio z j : dlap s z <= exp (IZR (Z.abs j) / s) * dlap s (z + j).
Proof.
  pose proof decay_bounds. rewrite !dlap_exp, (Rmult_comm (exp _)), Rmult_assoc.
  apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|].
  rewrite <- exp_plus. apply exp_le.
  assert (IZR (Z.abs (z + j)) <= IZR (Z.abs z) + IZR (Z.abs j))
    by (rewrite <- plus_IZR; apply IZR_le; lia).
  apply Rmult_le_reg_r with (1 := s_pos). field_simplify; lra.
Qed.

(** ... which is attained. *)
Theorem dlap_ratio_tight j : dlap s 0 = exp (IZR (Z.abs j) / s) * dlap s j.
Proof.
  pose proof decay_bounds. rewrite !dlap_exp, (Rmult_comm (exp _)), Rmult_assoc, <- exp_plus.
  do 2 f_equal. simpl; field; lra.
Qed.

(** The probability of the cells rs for values in the cells cs: independent noise in each coordinate. *)
Fixpoint dlap_prob (cs rs : list Z) : R :=
  match cs, rs with i :: cs, r :: rs => dlap s (r - i) * dlap_prob cs rs | _, _ => 1 end.

Lemma dlap_prob_positive cs rs : 0 < dlap_prob cs rs.
Proof.
  revert rs; induction cs as [|i cs IH]; intros [|r rs]; simpl; try lra.
  apply Rmult_lt_0_compat; [apply dlap_positive|apply IH].
Qed.

(** The loss between inputs in the cells cs and ds is their distance over s, ... *)
Theorem dlap_prob_ratio cs ds rs : length cs = length rs -> length ds = length rs ->
  dlap_prob cs rs <= exp (IZR (dist cs ds) / s) * dlap_prob ds rs.
Proof.
  revert ds rs; induction cs as [|i cs IH]; intros [|j ds] [|r rs]; try easy; simpl.
  - intros _ _. unfold Rdiv; rewrite Rmult_0_l, exp_0; lra.
  - intros [= Hi] [= Hj]. specialize (IH ds rs Hi Hj).
    rewrite plus_IZR, Rdiv_plus_distr, exp_plus.
    replace (_ * _ * (_ * _)) with
      (exp (IZR (Z.abs (i - j)) / s) * dlap s (r - j) * (exp (IZR (dist cs ds) / s) * dlap_prob ds rs))
      by ring.
    apply Rmult_le_compat; try (left; apply dlap_positive || apply dlap_prob_positive); [|exact IH].
    replace (r - j)%Z with (r - i + (i - j))%Z by lia. apply dlap_ratio.
Qed.

(** ... and the output cs itself attains it. *)
Theorem dlap_prob_ratio_tight cs ds : length cs = length ds ->
  dlap_prob cs cs = exp (IZR (dist cs ds) / s) * dlap_prob ds cs.
Proof.
  revert ds; induction cs as [|i cs IH]; intros [|j ds]; try easy; simpl.
  - intros _. unfold Rdiv; rewrite Rmult_0_l, exp_0; lra.
  - intros [= H]. rewrite (IH ds H), plus_IZR, Rdiv_plus_distr, exp_plus, Z.sub_diag.
    rewrite (dlap_ratio_tight (i - j)). ring.
Qed.

End DiscreteLaplace.

(** * Sampling *)

Definition shift (s : R) : R := s * ln (2 / (1 + decay s)).
Definition magnitude (s u : R) : Z := Zfloor (s * - ln u + shift s).
Definition noise (s u sign : R) : R := sign * IZR (magnitude s u).

Section Sampling.

Variable s : R.
Hypothesis s_pos : 0 < s.

(** P(|Z| >= j) *)
Definition dlap_tail (j : nat) : R := 2 * decay s ^ j / (1 + decay s).

Lemma dlap_tail_exp j : dlap_tail j = exp ((shift s - INR j) / s).
Proof.
  pose proof (decay_bounds s s_pos). unfold dlap_tail, shift. rewrite decay_pow by easy.
  replace ((_ - _) / s) with (ln (2 / (1 + decay s)) + - (INR j / s)) by (field; lra).
  rewrite exp_plus, exp_ln by (apply Rdiv_lt_0_compat; lra). field; lra.
Qed.

Lemma dlap_tail_decreasing j : 0 < dlap_tail (S j) < dlap_tail j.
Proof.
  rewrite !dlap_tail_exp; split; [apply exp_pos|apply exp_increasing].
  rewrite S_INR. apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|lra].
Qed.

Lemma dlap_tail_0_1 : dlap_tail 1 < 1 < dlap_tail 0.
Proof.
  pose proof (decay_bounds s s_pos). unfold dlap_tail; simpl.
  split; (apply Rmult_lt_reg_r with (1 + decay s); [lra|]); field_simplify; lra.
Qed.

Lemma dlap_tail_le_1 j : 0 < dlap_tail (S j) < 1.
Proof.
  split; [apply dlap_tail_decreasing|]. induction j as [|j IH]; [apply dlap_tail_0_1|].
  apply Rlt_trans with (2 := IH), dlap_tail_decreasing.
Qed.

(** The U that give at least j are those up to dlap_tail j. *)
Lemma magnitude_ge u j : 0 < u -> (Z.of_nat j <= magnitude s u)%Z <-> u <= dlap_tail j.
Proof.
  intros Hu. unfold magnitude. rewrite dlap_tail_exp, INR_IZR_INZ.
  assert (E : IZR (Z.of_nat j) <= s * - ln u + shift s <-> ln u <= (shift s - IZR (Z.of_nat j)) / s).
  { split; intros H.
    - apply Rmult_le_reg_r with (1 := s_pos). unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra. lra.
    - apply Rmult_le_compat_r with (r := s) in H; [|lra].
      unfold Rdiv in H; rewrite Rmult_assoc, Rinv_l in H by lra. lra. }
  split; intros H.
  - rewrite <- (exp_ln u Hu). apply exp_le, E.
    apply Rle_trans with (2 := Zfloor_lb _). now apply IZR_le.
  - apply Zfloor_lub, E. rewrite <- (ln_exp ((shift s - _) / s)).
    destruct H as [H|H]; [left; now apply ln_increasing|rewrite H; apply Rle_refl].
Qed.

Lemma magnitude_nonneg u : 0 < u < 1 -> (0 <= magnitude s u)%Z.
Proof. intros Hu; apply (magnitude_ge u 0); [easy|]. pose proof dlap_tail_0_1; lra. Qed.

(** The tail: P(|Z| >= j) = 2*q^j/(1+q) for j >= 1. *)
Theorem magnitude_tail j : has_length (fun u => Z.of_nat (S j) <= magnitude s u)%Z (dlap_tail (S j)).
Proof.
  pose proof (dlap_tail_le_1 j).
  apply has_length_below; [lra|..]; intros u Hu; rewrite magnitude_ge; lra.
Qed.

Lemma magnitude_is u j : 0 < u -> magnitude s u = Z.of_nat j <-> dlap_tail (S j) < u <= dlap_tail j.
Proof.
  intros Hu. pose proof (magnitude_ge u j Hu). pose proof (magnitude_ge u (S j) Hu). split.
  - intros E; split; [apply Rnot_le_lt; rewrite <- H0; lia|apply H; lia].
  - intros [L U]. assert (~ (Z.of_nat (S j) <= magnitude s u)%Z) by (rewrite H0; lra).
    apply H in U. lia.
Qed.

Lemma magnitude_0 : has_length (fun u => magnitude s u = 0%Z) (1 - dlap_tail 1).
Proof.
  pose proof (dlap_tail_le_1 0); pose proof dlap_tail_0_1.
  apply has_length_above; [lra|..]; intros u Hu; rewrite (magnitude_is u 0); lra.
Qed.

Lemma magnitude_S j :
  has_length (fun u => magnitude s u = Z.of_nat (S j)) (dlap_tail (S j) - dlap_tail (S (S j))).
Proof.
  pose proof (dlap_tail_le_1 j); pose proof (dlap_tail_decreasing (S j)).
  exists (dlap_tail (S (S j))), (dlap_tail (S j)); repeat split; try lra;
    intros u Hu; [|intros Ho]; rewrite magnitude_is; lra.
Qed.

(** Z = sign * floor(s*E + c) has the discrete Laplace distribution. *)
Theorem noise_law z : has_prob (noise s) (IZR z) (dlap s z).
Proof.
  pose proof (decay_bounds s s_pos).
  assert (Pos : forall j, dlap s (Z.of_nat (S j)) = (dlap_tail (S j) - dlap_tail (S (S j)) + 0) / 2).
  { intros j; unfold dlap, dlap_tail. rewrite Zabs2Nat.id. simpl; field; lra. }
  assert (Sym : dlap s (- z) = dlap s z) by (unfold dlap; do 2 f_equal; lia).
  destruct (Z.lt_trichotomy z 0) as [Hz|[->|Hz]].
  - destruct (Z_of_nat_complete (- z) ltac:(lia)) as [[|j] Hj]; [lia|].
    exists 0, (dlap_tail (S j) - dlap_tail (S (S j))); split; [|split].
    + apply has_length_empty; intros u Hu E. unfold noise in E; rewrite Rmult_1_l in E.
      apply eq_IZR in E. pose proof (magnitude_nonneg u Hu); lia.
    + refine (has_length_ext _ _ _ _ (magnitude_S j)); intros u _; rewrite <- Hj; unfold noise.
      replace (-1 * IZR (magnitude s u)) with (IZR (- magnitude s u)) by (rewrite opp_IZR; ring).
      split; [intros ->; f_equal; lia|intros E; apply eq_IZR in E; lia].
    + rewrite <- Sym, Hj, Pos; lra.
  - exists (1 - dlap_tail 1), (1 - dlap_tail 1); split; [|split].
    + refine (has_length_ext _ _ _ _ magnitude_0); intros u _; unfold noise; rewrite Rmult_1_l.
      split; [now intros ->|apply eq_IZR].
    + refine (has_length_ext _ _ _ _ magnitude_0); intros u _; unfold noise.
      split; [intros ->; lra|intros E; apply eq_IZR; lra].
    + unfold dlap, dlap_tail; simpl; field; lra.
  - destruct (Z_of_nat_complete z ltac:(lia)) as [[|j] ->]; [lia|].
    exists (dlap_tail (S j) - dlap_tail (S (S j))), 0; split; [|split; [|apply Pos]].
    + refine (has_length_ext _ _ _ _ (magnitude_S j)); intros u _; unfold noise; rewrite Rmult_1_l.
      split; [now intros ->|apply eq_IZR].
    + apply has_length_empty; intros u Hu E. unfold noise in E.
      replace (-1 * IZR (magnitude s u)) with (IZR (- magnitude s u)) in E by (rewrite opp_IZR; ring).
      apply eq_IZR in E. pose proof (magnitude_nonneg u Hu); lia.
Qed.

End Sampling.

(** * The grid mechanism *)

Section GridMechanism.

Variables (k : Z) (scale : R).
Hypothesis scale_pos : 0 < scale.

(** The noise in cells of 2^k. *)
Let s : R := scale / bpow radix2 k.

(** What is released for x, given U and the sign. *)
Definition release (x u sign : R) : R := (IZR (cell k x) + noise s u sign) * bpow radix2 k.

(** The probability of the cells rs for the values xs: by definition, the product over the coordinates. *)
Definition grid_prob (xs : list R) (rs : list Z) : R := dlap_prob s (map (cell k) xs) rs.

Lemma grid_s_pos : 0 < s.
Proof. apply Rdiv_lt_0_compat; [easy|apply bpow_gt_0]. Qed.

Lemma over_s (n : Z) : IZR n / s = IZR n * bpow radix2 k / scale.
Proof. pose proof (bpow_gt_0 radix2 k). unfold s; field; lra. Qed.

(** The cell r is released with probability P(r - cell of x). *)
Theorem release_law x r : has_prob (release x) (IZR r * bpow radix2 k) (dlap s (r - cell k x)).
Proof.
  refine (event_prob_ext _ _ _ _ (noise_law s grid_s_pos (r - cell k x))).
  intros u sign _ _; unfold release; rewrite minus_IZR. assert (G := bpow_gt_0 radix2 k).
  split; intros H; [rewrite H; ring|]. apply Rmult_eq_reg_r in H; lra.
Qed.

(** One value: the loss is ceil(d/2^k) * 2^k/scale. *)
Theorem release_private d x y r p p' : Rabs (x - y) <= d ->
  has_prob (release x) (IZR r * bpow radix2 k) p -> has_prob (release y) (IZR r * bpow radix2 k) p' ->
  p <= exp (IZR (Zceil (d / bpow radix2 k)) * bpow radix2 k / scale) * p'.
Proof.
  intros Hd Hp Hp'.
  rewrite (has_prob_unique _ _ _ _ Hp (release_law x r)), (has_prob_unique _ _ _ _ Hp' (release_law y r)).
  apply Rle_trans with (exp (IZR (Z.abs (cell k x - cell k y)) / s) * dlap s (r - cell k y)).
  - replace (r - cell k y)%Z with (r - cell k x + (cell k x - cell k y))%Z by lia.
    apply dlap_ratio, grid_s_pos.
  - apply Rmult_le_compat_r; [left; apply dlap_positive, grid_s_pos|]. rewrite <- over_s.
    apply exp_le, Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, grid_s_pos|].
    now apply IZR_le, cell_apart.
Qed.

(** Some inputs and an output attain it. *)
Theorem release_private_tight d : 0 <= d -> exists x y r p p', Rabs (x - y) = d /\
  has_prob (release x) (IZR r * bpow radix2 k) p /\ has_prob (release y) (IZR r * bpow radix2 k) p' /\
  p = exp (IZR (Zceil (d / bpow radix2 k)) * bpow radix2 k / scale) * p'.
Proof.
  intros Hd; destruct (cell_apart_tight k d Hd) as (x & y & D & C).
  exists x, y, (cell k x); do 2 eexists.
  split; [exact D|split; [apply release_law|split; [apply release_law|]]].
  rewrite <- C, <- over_s, Z.sub_diag. apply dlap_ratio_tight, grid_s_pos.
Qed.

Lemma grid_ratio xs ys rs b : length xs = length rs -> length ys = length rs ->
  IZR (dist (map (cell k) xs) (map (cell k) ys)) * bpow radix2 k <= b ->
  grid_prob xs rs <= exp (b / scale) * grid_prob ys rs.
Proof.
  intros Hx Hy H. unfold grid_prob.
  rewrite <- (map_length (cell k)) in Hx, Hy.
  apply Rle_trans with (1 := dlap_prob_ratio s grid_s_pos _ _ rs Hx Hy).
  apply Rmult_le_compat_r; [left; apply dlap_prob_positive, grid_s_pos|].
  rewrite over_s. apply exp_le, Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact H].
Qed.

(** Vectors of multiples of 2^kmin that differ in at most c coordinates: grid_distance * 2^k/scale, ... *)
Theorem grid_private kmin d c xs ys rs : (kmin <= k)%Z -> length xs = length rs -> length ys = length rs ->
  Forall (multiple kmin) xs -> Forall (multiple kmin) ys -> l1 xs ys <= d -> (differing xs ys <= c)%Z ->
  grid_prob xs rs <=
    exp (IZR (grid_distance (Zfloor (d / bpow radix2 kmin)) c (2 ^ (k - kmin))) * bpow radix2 k / scale)
      * grid_prob ys rs.
Proof.
  intros Hk Hx Hy Mx My Hd Hc. apply grid_ratio; [easy|easy|].
  apply Rmult_le_compat_r; [apply bpow_ge_0|]. now apply IZR_le, cells_apart.
Qed.

(** ... which is the best bound there is, ... *)
Theorem grid_private_tight kmin d (c n : nat) : (kmin <= k)%Z -> 0 <= d -> (1 <= c <= n)%nat ->
  exists xs ys rs, length xs = n /\ length ys = n /\ length rs = n /\
  Forall (multiple kmin) xs /\ Forall (multiple kmin) ys /\
  l1 xs ys <= d /\ (differing xs ys <= Z.of_nat c)%Z /\
  grid_prob xs rs =
    exp (IZR (grid_distance (Zfloor (d / bpow radix2 kmin)) (Z.of_nat c) (2 ^ (k - kmin)))
         * bpow radix2 k / scale)
      * grid_prob ys rs.
Proof.
  intros Hk Hd Hc.
  destruct (cells_apart_tight kmin k d c n Hk Hd Hc) as (xs & ys & Lx & Ly & Mx & My & D & C & E).
  exists xs, ys, (map (cell k) xs); rewrite map_length; repeat split; try assumption.
  rewrite <- E, <- over_s. apply dlap_prob_ratio_tight; [apply grid_s_pos|rewrite !map_length; congruence].
Qed.

(** ... and at most (d + n*(2^k - 2^kmin))/scale, where n is the length. *)
Theorem grid_private_relaxation kmin d c n xs ys rs :
  (kmin <= k)%Z -> length xs = length rs -> length ys = length rs ->
  Forall (multiple kmin) xs -> Forall (multiple kmin) ys -> l1 xs ys <= d ->
  (differing xs ys <= c)%Z -> (c <= n)%Z ->
  grid_prob xs rs <= exp ((d + IZR n * (bpow radix2 k - bpow radix2 kmin)) / scale) * grid_prob ys rs.
Proof.
  intros Hk Hx Hy Mx My Hd Hc Hn. apply grid_ratio; [easy|easy|].
  apply Rle_trans with (2 := cells_apart_relaxation kmin k d c n Hk Hn).
  apply Rmult_le_compat_r; [apply bpow_ge_0|]. now apply IZR_le, cells_apart.
Qed.

(** Multiples of 2^j, j >= k: d/scale. *)
Theorem grid_private_exact j d xs ys rs : (k <= j)%Z -> length xs = length rs -> length ys = length rs ->
  Forall (multiple j) xs -> Forall (multiple j) ys -> l1 xs ys <= d ->
  grid_prob xs rs <= exp (d / scale) * grid_prob ys rs.
Proof.
  intros Hj Hx Hy Mx My Hd. apply grid_ratio; [easy|easy|]. now rewrite (cells_exact j).
Qed.

End GridMechanism.
