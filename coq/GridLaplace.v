(** How far apart rounding to a grid can move two vectors.

    The grid mechanism rounds each value half up to a multiple of 2^k and then adds discrete Laplace noise
    on that grid. What the noise has to hide is the distance of the rounded values, in cells of 2^k. All
    values are multiples of some delta = 2^kmin (every double is one of 2^-1074), so the first part counts
    in units of delta, with integers: a cell is w = 2^k/delta units.

    Half-up rounding is a floor after a shift, so values at distance a are at most ceil(a/w) cells apart.
    Over several coordinates, each one that differs can gain a cell for one unit; the rest of the distance
    pays w units a cell. That is [grid_distance], and there are multiples of delta that reach it. They need
    not be doubles: where a cell is much wider than delta, doubles at its edge are more than delta apart. *)

From Coq Require Import Reals ZArith List Lra Lia.
From Flocq Require Import Core.
From Lastbit Require Import Double Snapping.
Import ListNotations.
Open Scope Z_scope.

(** floor(x/w + 1/2) *)
Definition half_up (w x : Z) : Z := (2 * x + w) / (2 * w).

(** The L1 distance, and the number of coordinates that differ. *)
Fixpoint dist (xs ys : list Z) : Z :=
  match xs, ys with x :: xs, y :: ys => Z.abs (x - y) + dist xs ys | _, _ => 0 end.

Fixpoint changed (xs ys : list Z) : Z :=
  match xs, ys with x :: xs, y :: ys => (if x =? y then 0 else 1) + changed xs ys | _, _ => 0 end.

(** The largest distance, in cells of w units, of the roundings of vectors that are at most m units apart and
    differ in at most c coordinates. *)
Definition grid_distance (m c w : Z) : Z := if m <? c then m else (m - c) / w + c.

(** * One coordinate *)

(** Values that differ, by a units, are at most ceil(a/w) = (a - 1)/w + 1 cells apart. *)
Lemma half_up_apart w x y : 0 < w -> x <> y ->
  Z.abs (half_up w x - half_up w y) <= (Z.abs (x - y) - 1) / w + 1.
Proof.
  intros Hw Hxy; unfold half_up.
  assert (E : Z.abs (x - y) - 1 = w * ((Z.abs (x - y) - 1) / w) + (Z.abs (x - y) - 1) mod w)
    by (apply Z.div_mod; lia).
  pose proof (Z.mod_pos_bound (Z.abs (x - y) - 1) w Hw).
  pose proof (Z.div_mod (2 * x + w) (2 * w) ltac:(lia)).
  pose proof (Z.mod_pos_bound (2 * x + w) (2 * w) ltac:(lia)).
  pose proof (Z.div_mod (2 * y + w) (2 * w) ltac:(lia)).
  pose proof (Z.mod_pos_bound (2 * y + w) (2 * w) ltac:(lia)).
  set (p := (2 * x + w) / (2 * w)) in *; set (r := (2 * y + w) / (2 * w)) in *.
  set (t := (Z.abs (x - y) - 1) / w) in *.
  assert (Z.abs (p - r) < t + 2); [|lia].
  apply (Z.mul_lt_mono_pos_l w); [easy|]. rewrite <- (Z.abs_eq w) at 1 by lia. rewrite <- Z.abs_mul. nia.
Qed.

(** * Vectors *)

Section Vectors.

Variable w : Z.
Hypothesis w_pos : 0 < w.

Lemma dist_changed xs ys : 0 <= changed xs ys <= dist xs ys.
Proof.
  revert ys; induction xs as [|x xs IH]; intros [|y ys]; simpl; try lia.
  specialize (IH ys). destruct (Z.eqb_spec x y); lia.
Qed.

(** The sum of (a_i - 1)/w + 1 over the coordinates that differ. *)
Lemma rounded_apart xs ys :
  dist (map (half_up w) xs) (map (half_up w) ys) <= (dist xs ys - changed xs ys) / w + changed xs ys.
Proof.
  revert ys; induction xs as [|x xs IH]; intros [|y ys]; cbn [map dist changed];
    try (rewrite Z.div_0_l; lia).
  specialize (IH ys). destruct (Z.eqb_spec x y) as [->|N].
  - rewrite !Z.sub_diag; simpl; lia.
  - pose proof (half_up_apart w x y w_pos N) as H.
    set (a := Z.abs (x - y)) in *. set (D := dist xs ys) in *. set (C := changed xs ys) in *.
    enough ((a - 1) / w + (D - C) / w <= (a + D - (1 + C)) / w) by lia.
    apply Z.div_le_lower_bound; [easy|].
    pose proof (Z.mul_div_le (a - 1) w w_pos); pose proof (Z.mul_div_le (D - C) w w_pos); lia.
Qed.

(** More distance and more coordinates never give less. *)
Lemma grid_distance_mono m c D C : 0 <= C <= D -> D <= m -> C <= c ->
  (D - C) / w + C <= grid_distance m c w.
Proof.
  intros HC HD Hc; unfold grid_distance; destruct (Z.ltb_spec m c) as [H|H].
  - enough ((D - C) / w <= D - C) by lia. apply Z.div_le_upper_bound; nia.
  - enough ((D - C) / w <= (m - c) / w + (c - C)) by lia.
    rewrite <- Z.div_add by lia. apply Z.div_le_mono; nia.
Qed.

(** Vectors at most m units apart that differ in at most c coordinates are rounded to at most grid_distance
    cells apart. *)
Theorem grid_distance_bound m c xs ys : dist xs ys <= m -> changed xs ys <= c ->
  dist (map (half_up w) xs) (map (half_up w) ys) <= grid_distance m c w.
Proof.
  intros HD HC. apply Z.le_trans with (1 := rounded_apart xs ys).
  apply grid_distance_mono; [apply dist_changed|easy|easy].
Qed.

(** It is never worse than a relaxation of w - 1 units for each of n coordinates. *)
Theorem grid_distance_relaxation m c n : c <= n -> w * grid_distance m c w <= m + n * (w - 1).
Proof.
  intros Hn; unfold grid_distance; destruct (Z.ltb_spec m c) as [H|H]; [nia|].
  pose proof (Z.mul_div_le (m - c) w w_pos); nia.
Qed.

(** Values on the grid, or on a coarser one, do not move. *)
Theorem on_the_grid xs ys : Forall (Z.divide w) xs -> Forall (Z.divide w) ys ->
  w * dist (map (half_up w) xs) (map (half_up w) ys) = dist xs ys.
Proof.
  assert (E : forall a, half_up w (a * w) = a).
  { intros a; unfold half_up. symmetry; apply Z.div_unique with w; lia. }
  intros Hx; revert ys; induction Hx as [|x xs [a ->] Hx IH]; intros ys Hy; [simpl; lia|].
  destruct Hy as [|y ys [b ->] Hy]; [simpl; lia|].
  simpl; rewrite !E, Z.mul_add_distr_l, (IH ys Hy). f_equal.
  rewrite <- Z.mul_sub_distr_r, Z.abs_mul. lia.
Qed.

(** * Inputs that reach the bound *)

(** The least value that is rounded to 1. *)
Let up : Z := (w + 1) / 2.

Lemma half_up_up t : 0 <= t -> half_up w (up + t) = 1 + t / w.
Proof.
  intros Ht; unfold half_up, up.
  pose proof (Z.div_mod (w + 1) 2 ltac:(lia)); pose proof (Z.mod_pos_bound (w + 1) 2 ltac:(lia)).
  pose proof (Z.div_mod t w ltac:(lia)); pose proof (Z.mod_pos_bound t w ltac:(lia)).
  symmetry; apply Z.div_unique with (2 * (t mod w) + 2 * ((w + 1) / 2) - w); lia.
Qed.

Lemma half_up_below : half_up w (up - 1) = 0.
Proof.
  unfold half_up, up. pose proof (Z.div_mod (w + 1) 2 ltac:(lia)).
  pose proof (Z.mod_pos_bound (w + 1) 2 ltac:(lia)). apply Z.div_small; lia.
Qed.

Lemma map_repeat (h : Z -> Z) a n : map h (repeat a n) = repeat (h a) n.
Proof. induction n as [|n IH]; simpl; [easy|]. now rewrite IH. Qed.

Lemma dist_repeat a b n : dist (repeat a n) (repeat b n) = Z.of_nat n * Z.abs (a - b).
Proof. induction n as [|n IH]; [simpl; lia|]. cbn [repeat dist]. rewrite IH; lia. Qed.

Lemma changed_repeat a b n : a <> b -> changed (repeat a n) (repeat b n) = Z.of_nat n.
Proof.
  intros N; induction n as [|n IH]; [reflexivity|]. cbn [repeat changed].
  rewrite IH. apply Z.eqb_neq in N; rewrite N. lia.
Qed.

Lemma changed_same xs : changed xs xs = 0.
Proof. induction xs as [|x xs IH]; simpl; [easy|]. now rewrite Z.eqb_refl, IH. Qed.

Lemma dist_same xs : dist xs xs = 0.
Proof. induction xs as [|x xs IH]; simpl; [easy|]. rewrite IH; lia. Qed.

Lemma dist_app xs ys xs' ys' : length xs = length ys ->
  dist (xs ++ xs') (ys ++ ys') = dist xs ys + dist xs' ys'.
Proof.
  revert ys; induction xs as [|x xs IH]; intros [|y ys]; simpl; try easy.
  intros [= H]; rewrite (IH ys H); lia.
Qed.

Lemma changed_app xs ys xs' ys' : length xs = length ys ->
  changed (xs ++ xs') (ys ++ ys') = changed xs ys + changed xs' ys'.
Proof.
  revert ys; induction xs as [|x xs IH]; intros [|y ys]; simpl; try easy.
  intros [= H]; rewrite (IH ys H); lia.
Qed.

(** For every m, c >= 1 and every length n >= c there are vectors that reach the bound. *)
Theorem grid_distance_tight m (c n : nat) : 0 <= m -> (1 <= c <= n)%nat -> exists xs ys,
  length xs = n /\ length ys = n /\ dist xs ys = m /\ changed xs ys <= Z.of_nat c /\
  dist (map (half_up w) xs) (map (half_up w) ys) = grid_distance m (Z.of_nat c) w.
Proof.
  intros Hm Hc; unfold grid_distance; destruct (Z.ltb_spec m (Z.of_nat c)) as [H|H].
  - set (i := Z.to_nat m); set (rest := repeat 0 (n - i)).
    exists (repeat up i ++ rest), (repeat (up - 1) i ++ rest).
    rewrite !map_app, !dist_app, changed_app by (rewrite ?map_length, !repeat_length; reflexivity).
    rewrite !app_length, !map_repeat, !dist_repeat, changed_repeat, changed_same, dist_same by lia.
    unfold rest; rewrite !repeat_length, dist_same, half_up_below. replace up with (up + 0) by lia.
    rewrite half_up_up, Z.div_0_l by lia. unfold i in *; repeat split; lia.
  - set (t := m - Z.of_nat c); set (rest := repeat 0 (n - c)).
    exists ((up + t :: repeat up (c - 1)) ++ rest), ((up - 1 :: repeat (up - 1) (c - 1)) ++ rest).
    rewrite !map_app, !dist_app, changed_app
      by (rewrite ?map_length; simpl; rewrite !repeat_length; reflexivity).
    rewrite !app_length; cbn [length map dist changed].
    rewrite !map_repeat, !dist_repeat, changed_repeat, changed_same, dist_same by lia.
    unfold rest; rewrite !repeat_length, dist_same, half_up_below, half_up_up by (unfold t; lia).
    replace (half_up w up) with 1 by (rewrite <- (Z.add_0_r up), half_up_up, Z.div_0_l; lia).
    rewrite (proj2 (Z.eqb_neq (up + t) (up - 1))) by (unfold t; lia).
    pose proof (Z.div_pos t w ltac:(unfold t; lia) w_pos). fold t.
    repeat split; try lia; unfold t in *; lia.
Qed.

End Vectors.

(** * Ties away from zero *)

Definition half_away (w x : Z) : Z := Z.sgn x * half_up w (Z.abs x).

(** With ties away from zero the relaxation w - 1 is false: x = -1 and 1, w = 2 (that is k = -1073 and
    x = -+2^-1074): 2 cells of 2 units, and 2 + (2 - 1) units, a cell and a half, are claimed. *)
Theorem half_away_breaks_the_relaxation :
  exists x y, 2 * Z.abs (half_away 2 x - half_away 2 y) = 4 /\ Z.abs (x - y) + (2 - 1) = 3.
Proof. exists (-1), 1; split; reflexivity. Qed.

(** Half up keeps it. *)
Theorem half_up_keeps_the_relaxation w x y : 0 < w ->
  w * Z.abs (half_up w x - half_up w y) <= Z.abs (x - y) + (w - 1).
Proof.
  intros Hw. destruct (Z.eq_dec x y) as [->|N]; [rewrite !Z.sub_diag; simpl; lia|].
  pose proof (half_up_apart w x y Hw N). pose proof (Z.mul_div_le (Z.abs (x - y) - 1) w Hw). nia.
Qed.

(** * Real numbers *)

Open Scope R_scope.

(** The cell of x: x rounded half up, in units of 2^k. *)
Definition cell (k : Z) (x : R) : Z := cell_of (bpow radix2 k) x.

Fixpoint l1 (xs ys : list R) : R :=
  match xs, ys with x :: xs, y :: ys => Rabs (x - y) + l1 xs ys | _, _ => 0 end.

Fixpoint differing (xs ys : list R) : Z :=
  match xs, ys with x :: xs, y :: ys => (if Req_bool x y then 0 else 1) + differing xs ys | _, _ => 0 end.

Lemma Zfloor_apart a b (n : Z) : a - b <= IZR n -> (Zfloor a - Zfloor b <= n)%Z.
Proof.
  intros H. apply Zlt_succ_le, lt_IZR. rewrite succ_IZR, minus_IZR.
  pose proof (Zfloor_lb a); pose proof (Zfloor_ub b); lra.
Qed.

(** One value, any reals: at distance d they are at most ceil(d/2^k) cells apart, ... *)
Theorem cell_apart k d x y : Rabs (x - y) <= d ->
  (Z.abs (cell k x - cell k y) <= Zceil (d / bpow radix2 k))%Z.
Proof.
  intros H. assert (G := bpow_gt_0 radix2 k). unfold cell, cell_of.
  assert (U : Rabs (x / bpow radix2 k - y / bpow radix2 k) <= IZR (Zceil (d / bpow radix2 k))).
  { apply Rle_trans with (2 := Zceil_ub _). rewrite <- Rdiv_minus_distr. unfold Rdiv.
    rewrite Rabs_mult, (Rabs_right (/ _)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact H]. }
  apply Rabs_le_inv in U. apply Z.abs_le; split.
  - apply Z.opp_le_mono; rewrite Z.opp_involutive, Z.opp_sub_distr, Z.add_comm, Z.add_opp_r.
    apply Zfloor_apart; lra.
  - apply Zfloor_apart; lra.
Qed.

(** ... and some are. *)
Theorem cell_apart_tight k d : 0 <= d -> exists x y, Rabs (x - y) = d /\
  Z.abs (cell k x - cell k y) = Zceil (d / bpow radix2 k).
Proof.
  intros Hd. assert (G := bpow_gt_0 radix2 k).
  exists (- bpow radix2 k / 2), (- bpow radix2 k / 2 - d); split.
  - rewrite Rabs_right; lra.
  - unfold cell, cell_of. replace (- bpow radix2 k / 2 / bpow radix2 k + 1 / 2) with 0 by (field; lra).
    replace ((- bpow radix2 k / 2 - d) / bpow radix2 k + 1 / 2) with (- (d / bpow radix2 k)) by (field; lra).
    rewrite (Zfloor_IZR 0). apply Z.abs_eq. fold (Zceil (d / bpow radix2 k)).
    apply le_IZR, Rle_trans with (2 := Zceil_ub _). now apply Rle_mult_inv_pos.
Qed.

Lemma Zfloor_le_div d g : 0 < g -> IZR (Zfloor (d / g)) * g <= d.
Proof.
  intros G; pose proof (Rmult_le_compat_r g _ _ (Rlt_le _ _ G) (Zfloor_lb (d / g))) as F.
  replace (d / g * g) with d in F; [exact F|field; lra].
Qed.

(** Integers in units of 2^e. *)
Definition units (e n : Z) : R := IZR n * bpow radix2 e.

Lemma units_list e xs : Forall (multiple e) xs -> exists ns, xs = map (units e) ns.
Proof.
  induction 1 as [|x xs [n ->] _ [ns ->]]; [now exists []|now exists (n :: ns)].
Qed.

Lemma l1_units e xs ys : l1 (map (units e) xs) (map (units e) ys) = IZR (dist xs ys) * bpow radix2 e.
Proof.
  revert ys; induction xs as [|x xs IH]; intros [|y ys]; cbn [map l1 dist]; try lra.
  rewrite IH, plus_IZR, abs_IZR, minus_IZR. unfold units.
  rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_right (bpow radix2 e)); [lra|].
  apply Rle_ge, bpow_ge_0.
Qed.

Lemma differing_units e xs ys : differing (map (units e) xs) (map (units e) ys) = changed xs ys.
Proof.
  revert ys; induction xs as [|x xs IH]; intros [|y ys]; cbn [map differing changed]; try easy.
  rewrite IH; f_equal. destruct (Z.eqb_spec x y) as [->|N]; [now rewrite Req_bool_true|].
  rewrite Req_bool_false; [easy|]. intros E; apply N, eq_IZR.
  apply Rmult_eq_reg_r with (1 := E), Rgt_not_eq, bpow_gt_0.
Qed.

Lemma cell_units e k n : (e <= k)%Z -> cell k (units e n) = half_up (2 ^ (k - e)) n.
Proof.
  intros H; unfold cell, cell_of, units, half_up.
  assert (W : (0 < 2 ^ (k - e))%Z) by (apply Z.pow_pos_nonneg; lia).
  rewrite <- Zfloor_div by lia. f_equal.
  rewrite plus_IZR, !mult_IZR, (IZR_Zpower radix2) by lia.
  replace k with (k - e + e)%Z at 1 by lia. rewrite bpow_plus.
  pose proof (bpow_gt_0 radix2 (k - e)); pose proof (bpow_gt_0 radix2 e). field; lra.
Qed.

Lemma map_cell_units e k ns : (e <= k)%Z ->
  map (cell k) (map (units e) ns) = map (half_up (2 ^ (k - e))) ns.
Proof. intros H; rewrite map_map; apply map_ext; intros n; now apply cell_units. Qed.

(** Vectors of multiples of 2^kmin at distance d or less that differ in at most c coordinates. *)
Theorem cells_apart kmin k d c xs ys :
  (kmin <= k)%Z -> Forall (multiple kmin) xs -> Forall (multiple kmin) ys ->
  l1 xs ys <= d -> (differing xs ys <= c)%Z ->
  (dist (map (cell k) xs) (map (cell k) ys)
     <= grid_distance (Zfloor (d / bpow radix2 kmin)) c (2 ^ (k - kmin)))%Z.
Proof.
  intros Hk Hx Hy Hd Hc.
  destruct (units_list kmin xs Hx) as [ns ->], (units_list kmin ys Hy) as [ms ->].
  rewrite l1_units in Hd; rewrite differing_units in Hc. rewrite !map_cell_units by easy.
  apply grid_distance_bound; [apply Z.pow_pos_nonneg; lia| |easy].
  apply Zfloor_lub. assert (G := bpow_gt_0 radix2 kmin). apply Rmult_le_reg_r with (1 := G).
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r; lra.
Qed.

(** There are vectors of each length n >= c that reach it. *)
Theorem cells_apart_tight kmin k d (c n : nat) : (kmin <= k)%Z -> 0 <= d -> (1 <= c <= n)%nat -> exists xs ys,
  length xs = n /\ length ys = n /\ Forall (multiple kmin) xs /\ Forall (multiple kmin) ys /\
  l1 xs ys <= d /\ (differing xs ys <= Z.of_nat c)%Z /\
  dist (map (cell k) xs) (map (cell k) ys)
    = grid_distance (Zfloor (d / bpow radix2 kmin)) (Z.of_nat c) (2 ^ (k - kmin)).
Proof.
  intros Hk Hd Hc. assert (G := bpow_gt_0 radix2 kmin).
  assert (M : forall ns, Forall (multiple kmin) (map (units kmin) ns)).
  { intros ns; apply Forall_map, Forall_forall; intros m _; now exists m. }
  destruct (grid_distance_tight (2 ^ (k - kmin)) ltac:(apply Z.pow_pos_nonneg; lia)
              (Zfloor (d / bpow radix2 kmin)) c n) as (ns & ms & Ln & Lm & D & C & E); [|easy|].
  - apply Zfloor_lub, Rle_mult_inv_pos; lra.
  - exists (map (units kmin) ns), (map (units kmin) ms).
    rewrite !map_length, l1_units, differing_units, !map_cell_units, D by easy.
    repeat split; auto. now apply Zfloor_le_div.
Qed.

(** Multiples of 2^j, j >= k, do not move: no relaxation. *)
Theorem cells_exact j k xs ys : (k <= j)%Z -> Forall (multiple j) xs -> Forall (multiple j) ys ->
  IZR (dist (map (cell k) xs) (map (cell k) ys)) * bpow radix2 k = l1 xs ys.
Proof.
  intros Hj Hx Hy.
  assert (M : forall zs, Forall (multiple j) zs -> Forall (multiple k) zs).
  { intros zs; apply Forall_impl. intros z [n ->]. now apply multiple_coarser. }
  destruct (units_list k xs (M _ Hx)) as [ns ->], (units_list k ys (M _ Hy)) as [ms ->].
  rewrite l1_units, !map_cell_units, Z.sub_diag by lia. do 2 f_equal.
  rewrite <- (on_the_grid 1 ltac:(lia) ns ms); [apply eq_sym, Z.mul_1_l|..];
    apply Forall_forall; intros z _; apply Z.divide_1_l.
Qed.

(** In units of the values, never worse than d + n*(2^k - 2^kmin). *)
Theorem cells_apart_relaxation kmin k d c n : (kmin <= k)%Z -> (c <= n)%Z ->
  IZR (grid_distance (Zfloor (d / bpow radix2 kmin)) c (2 ^ (k - kmin))) * bpow radix2 k
    <= d + IZR n * (bpow radix2 k - bpow radix2 kmin).
Proof.
  intros Hk Hn. assert (G := bpow_gt_0 radix2 kmin).
  pose proof (Zfloor_le_div d (bpow radix2 kmin) G) as F.
  set (m := Zfloor _) in *.
  pose proof (grid_distance_relaxation (2 ^ (k - kmin)) ltac:(apply Z.pow_pos_nonneg; lia) m c n Hn) as H.
  apply IZR_le in H; rewrite plus_IZR, !mult_IZR, minus_IZR, (IZR_Zpower radix2) in H by lia.
  apply Rmult_le_compat_r with (r := bpow radix2 kmin) in H; [|lra].
  replace (bpow radix2 k) with (bpow radix2 (k - kmin) * bpow radix2 kmin)
    by (rewrite <- bpow_plus; f_equal; lia).
  lra.
Qed.

(** * Doubles *)

(** Doubles at most 2^-1073 apart lie in the same cell of width 1: near an edge, doubles are 2^-54 apart or
    more. Multiples of 2^-1074 need not, by [cells_apart_tight]. So doubles do not always reach the bound. *)
Theorem doubles_in_one_cell x y : F x -> F y -> Rabs (x - y) <= bpow radix2 (-1073) ->
  cell 0 x = cell 0 y.
Proof.
  assert (S : bpow radix2 (-1073) < bpow radix2 (-54)) by (apply bpow_lt; lia).
  assert (T : bpow radix2 (-54) < 1 / 4) by (simpl; lra).
  enough (L : forall x y, F x -> F y -> y - x <= bpow radix2 (-1073) ->
                ~ (cell 0 x < cell 0 y)%Z).
  { intros Dx Dy H; apply Rabs_le_inv in H.
    pose proof (L x y Dx Dy ltac:(lra)); pose proof (L y x Dy Dx ltac:(lra)); lia. }
  clear x y; intros x y Dx Dy H C; unfold cell, cell_of in C; set (n := Zfloor (y / _ + _)) in C.
  assert (Y : IZR n <= y + 1 / 2).
  { apply Rle_trans with (1 := Zfloor_lb _); simpl; lra. }
  assert (X : x + 1 / 2 < IZR n).
  { apply Rnot_le_lt; intros N; apply (Zlt_not_le _ _ C), Zfloor_lub; simpl; lra. }
  assert (N : IZR n <= 0 \/ 1 <= IZR n) by (destruct (Z.le_gt_cases n 0); [left|right]; apply IZR_le; lia).
  assert (A : forall z, x <= z <= y -> 1 / 4 <= Rabs z).
  { intros z Hz; unfold Rabs; destruct Rcase_abs; lra. }
  destruct (F_multiple (-54) x Dx) as [a ->]; [simpl; specialize (A x); lra|].
  destruct (F_multiple (-54) y Dy) as [b ->]; [simpl; specialize (A y); lra|].
  assert (B := bpow_gt_0 radix2 (-54)).
  assert (D : 1 <= IZR (b - a)).
  { apply IZR_le, (Zlt_le_succ 0), lt_IZR, Rmult_lt_reg_r with (1 := B). rewrite minus_IZR; lra. }
  rewrite <- Rmult_minus_distr_r, <- minus_IZR in H.
  apply Rmult_le_compat_r with (r := bpow radix2 (-54)) in D; lra.
Qed.
