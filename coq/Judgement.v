(** Judgements, "r in [lo, hi] is computed as f, with an error of at most d", and the steps 1 to 7 by which
    every rule arrives at one.

    A judgement is a row of numbers about one operation; `holds` says what they mean for the value r of the
    real reading and the float f. A rule finds an interval for r, one for v, the exact result on the operands'
    floats, a bound x of |v - r|, perhaps a relative one, and how the operation rounds; `judge` makes a
    judgement of it.

    Why it holds: |f - r| <= |v - r| + |f - v|, and f is the float nearest to v, which is at most P(m) away
    from v if |v| <= m. Relative errors compose in the same way. Rounding is monotone, so that f lies
    between the floats nearest to the ends of v's interval. *)
From Coq Require Import Reals ZArith Lra Lia Bool.
From Bignums Require Import BigZ.
From Flocq Require Import Core BinarySingleNaN.
From Lastbit Require Import Rounding RealRules Dyadic Nearest Enclosure.
Open Scope R_scope.

Record judgement := J {
  real : itv;         (* R: contains the real value *)
  float : itv;        (* F: contains the float *)
  x : dy;             (* the error that the operands' errors cause *)
  p : dy;             (* the error of the operation itself *)
  rho : option dy;    (* |f - r| <= rho * |r|, if known *)
  d : dy;             (* |f - r| <= d *)
  sign : bool         (* an input that is 1 or -1 *)
}.

(** What a relative error says. *)
Definition rho_holds (f r : R) (q : option dy) : Prop :=
  match q with Some q => 0 <= V q <= 1 /\ Rabs (f - r) <= V q * Rabs r | None => True end.

(** What a judgement says of the value r of the real reading and f of the float reading. *)
Definition holds {prec emax} (r : R) (f : binary_float prec emax) (j : judgement) : Prop :=
  is_finite f = true /\ isin r (real j) /\ isin (B2R f) (float j) /\ Rabs (B2R f - r) <= V (d j) /\
  rho_holds (B2R f) r (rho j) /\ (sign j = true -> B2R f = r /\ (r = 1 \/ r = -1)).

(** The judgement holds, and its p bounds how far the float is from the exact result v on the operands'
    floats. *)
Definition sound {prec emax} (r : R) (f : binary_float prec emax) (v : R) (j : judgement) : Prop :=
  holds r f j /\ Rabs (B2R f - v) <= V (p j).

(** A value that both readings share. *)
Definition exact (i : itv) : judgement := J i i dzero dzero (Some dzero) dzero false.

(** An operation that does not round. *)
Definition passed_on (r f : itv) (e : dy) (q : option dy) : judgement := J r f e dzero q e false.

(** The operand is the answer. *)
Definition taken_over (j : judgement) : judgement := passed_on (real j) (float j) (d j) (rho j).

(** Where both values lie. *)
Definition domain (j : judgement) : itv := hull (real j) (float j).

(** Both readings have the same value. *)
Definition is_exact (j : judgement) : bool := is_zero (d j).

(** The one value that both readings have, if it is known. *)
Definition known (j : judgement) : option dy :=
  if is_exact j && deqb (lo (real j)) (hi (real j)) then Some (lo (real j)) else None.

(** How an operation rounds. *)
Inductive rounds :=
| Exactly      (* not at all *)
| Scaling      (* a product with 2^k, k < 0: only where it is subnormal *)
| SumOrRoot    (* not where it is subnormal *)
| Any.

(** Whether 2^k < m, and whether 2^k <= m. Binades are compared: to align the numbers would take long. *)
Definition is_above (k : Z) (m : dy) : bool := is_pos m && BigZ.ltb (BigZ.of_Z k) (ceil_log2 m).
Definition reaches (k : Z) (m : dy) : bool := is_pos m && BigZ.leb (BigZ.of_Z k) (floor_log2 m).

Section Format.
Variables prec emax : Z.

(** 2^k, u and tau. *)
Definition power (k : Z) : dy := dpow (BigZ.of_Z k).
Definition d_u : dy := power (- prec).
Definition d_tau : dy := power (2 - emax - prec).

(** hu(e) *)
Definition half_ulp (e : bigZ) : dy := dpow (e - BigZ.of_Z (prec + 1))%bigZ.

(** Whether numbers of this magnitude may overflow, and whether they are beyond what derivations go on
    with. *)
Definition may_overflow (m : dy) : bool := is_above (emax - 2) m.
Definition is_too_large (m : dy) : bool := is_above (emax - 1) m.

(** Whether numbers of this magnitude are normal. *)
Definition are_normal (m : dy) : bool := reaches (2 - emax) m.

(** P(m) *)
Definition rounding_error (m : dy) : dy :=
  let least := BigZ.of_Z (3 - emax) in
  let e := if is_pos m then ceil_log2 m else least in
  if BigZ.leb e least then half_ulp least
  else let below := BigZ.pred e in
    dmin (half_ulp e) (dmax (half_ulp below) (dsub m (dpow below))).

(** RN(V), or None where max|V| is too large. *)
Definition nearest_floats (v : itv) : option itv :=
  if reaches (emax - 1) (max_abs v) then None
  else Some (nearest_itv (BigZ.of_Z prec) (BigZ.of_Z (3 - emax - prec)) v).

(** The smaller of two numbers that may be absent. *)
Definition least_of (a b : option dy) : option dy :=
  match a, b with Some a, Some b => Some (dmin a b) | Some a, None => Some a | None, b => b end.

(** Step 5: d, from a = x + p, and from rho_1 and t, which come as a pair. *)
Definition absolute_error (r : itv) (a : dy) (relative : option (dy * dy)) : dy :=
  match relative with
  | None => up a
  | Some (q, t) => dmin (up a) (up (dadd (dmul q (max_abs r)) t))
  end.

(** Step 6: rho. *)
Definition relative_error (r : itv) (a : dy) (relative : option (dy * dy)) (d : dy) : option dy :=
  if is_zero a then Some dzero
  else
    let own := match relative with
      | Some (q, t) => if is_zero t then Some (up q) else None
      | None => None
      end in
    let least := min_abs r in
    let by_range := if is_zero least then None else Some (up_quotient d least) in
    match least_of own by_range with Some q => if dle q done then Some q else None | None => None end.

(** Step 7: F, with RN(V) or what takes its place. *)
Definition float_range (r : itv) (d : dy) (rho : option dy) (floats : option itv) : itv :=
  let low := dsub (lo r) d in
  let low := match rho with
    | Some q => if is_pos (lo r) then dmax low (dmul (lo r) (dsub done q)) else low
    | None => low
    end in
  let high := dadd (hi r) d in
  let high := match rho with
    | Some q => if is_neg (hi r) then dmin high (dmul (hi r) (dsub done q)) else high
    | None => high
    end in
  match floats with
  | Some i => I (dmax low (lo i)) (dmin high (hi i))
  | None => I low high
  end.

(** Steps 5 to 7. *)
Definition conclude (r : itv) (x p : dy) (relative : option (dy * dy)) (floats : option itv)
    : option judgement :=
  let a := dadd x p in
  let d := absolute_error r a relative in
  let rho := relative_error r a relative d in
  let f := float_range r d rho floats in
  if dle (lo f) (hi f) then Some (J r (outward f) x p rho d false) else None.

(** Steps 1 to 7. *)
Definition judge (r v : itv) (x : dy) (relative : option dy) (how : rounds) : option judgement :=
  let v := outward v in
  let propagated := dadd (max_abs r) x in
  let m := dmin propagated (max_abs v) in
  if may_overflow m || is_too_large propagated then None
  else
    let is_normal := are_normal (min_abs v) in
    let p := match how with
      | Exactly => dzero
      | Scaling => if is_normal then dzero else dmin (rounding_error m) d_tau
      | SumOrRoot | Any => rounding_error m
      end in
    let t := match how with
      | Exactly | SumOrRoot => dzero
      | Scaling | Any => if is_normal then dzero else d_tau
      end in
    let relative := match relative with
      | Some q => Some (if is_zero p then q else dadd q (dmul d_u (dadd done q)), t)
      | None => None
      end in
    conclude r x p relative (nearest_floats v).
End Format.

Section Sound.
Context {prec emax : Z} {Hprec : Prec_gt_0 prec} {Hmax : Prec_lt_emax prec emax}.
Notation rnd := (rnd prec emax).
Notation u := (unit_roundoff prec).
Notation tau := (tau prec emax).
Notation least_normal := (least_normal emax).
Notation bfloat := (binary_float prec emax).

(** * Judgements *)

(** Only the value of the float counts. *)
Lemma holds_same r (f g : bfloat) j : is_finite g = true -> B2R g = B2R f -> holds r f j -> holds r g j.
Proof. unfold holds. intros F -> H. split; [exact F|apply H]. Qed.

Lemma exact_holds (f : bfloat) i : is_finite f = true -> isin (B2R f) i -> holds (B2R f) f (exact i).
Proof.
  intros F H. unfold holds, rho_holds; cbn. rewrite Rminus_diag_eq, Rabs_R0, V_zero by reflexivity.
  repeat split; try apply H; try easy; lra.
Qed.

Lemma passed_on_holds r (f : bfloat) i k e q : is_finite f = true ->
  isin r i -> isin (B2R f) k -> Rabs (B2R f - r) <= V e -> rho_holds (B2R f) r q ->
    holds r f (passed_on i k e q).
Proof. intros F R K E Q. repeat split; try easy; apply R || apply K. Qed.

Lemma taken_over_holds r (f : bfloat) j : holds r f j -> holds r f (taken_over j).
Proof. intros (F & R & Fl & D & Q & _). apply passed_on_holds; assumption. Qed.

Lemma real_in_domain r (f : bfloat) j : holds r f j -> isin r (domain j).
Proof. intros H. apply isin_hull_l, H. Qed.

Lemma float_in_domain r (f : bfloat) j : holds r f j -> isin (B2R f) (domain j).
Proof. intros H. apply isin_hull_r, H. Qed.

Lemma is_exact_ok r (f : bfloat) j : holds r f j -> is_exact j = true -> B2R f = r.
Proof.
  intros (_ & _ & _ & D & _). unfold is_exact. destruct (is_zero_spec (d j)) as [Z|]; [|discriminate].
  intros _. rewrite Z in D. apply Rabs_le_inv in D. lra.
Qed.

Lemma known_ok r (f : bfloat) j c : holds r f j -> known j = Some c -> r = V c /\ B2R f = V c.
Proof.
  intros H. unfold known. destruct (is_exact j) eqn:E; [|discriminate]. rewrite (is_exact_ok r f j H E).
  destruct (deqb_spec (lo (real j)) (hi (real j))) as [L|]; [|discriminate]. intros [= <-].
  destruct H as (_ & [L1 L2] & _). split; lra.
Qed.

(** An operation that is exact on floats. *)
Lemma sound_exact r (f : bfloat) v j : holds r f j -> p j = dzero -> B2R f = v -> sound r f v j.
Proof.
  intros H P E. split; [exact H|]. rewrite P, E, Rminus_diag_eq, Rabs_R0, V_zero by reflexivity. lra.
Qed.

(** * Rounding *)

Lemma V_power k : V (power k) = bpow radix2 k.
Proof. unfold power. rewrite V_pow, BigZ.spec_of_Z. reflexivity. Qed.

Lemma is_above_spec k m : BoolSpec (bpow radix2 k < V m) (V m <= bpow radix2 k) (is_above k m).
Proof.
  unfold is_above. destruct (is_pos_spec m) as [P|P]; cbn [andb].
  - destruct (ceil_log2_ok m P) as [L U]. rewrite BigZ.spec_ltb, BigZ.spec_of_Z.
    destruct (Z.ltb_spec k [ceil_log2 m]%bigZ) as [K|K]; constructor.
    + apply Rle_lt_trans with (2 := L), bpow_le. lia.
    + apply Rle_trans with (1 := U), bpow_le, K.
  - constructor. assert (B := bpow_ge_0 radix2 k). lra.
Qed.

Lemma reaches_spec k m : BoolSpec (bpow radix2 k <= V m) (V m < bpow radix2 k) (reaches k m).
Proof.
  unfold reaches. destruct (is_pos_spec m) as [P|P]; cbn [andb].
  - destruct (floor_log2_ok m) as [L U]; [lra|]. rewrite Rabs_pos_eq in L, U by lra.
    rewrite BigZ.spec_leb, BigZ.spec_of_Z.
    destruct (Z.leb_spec k [floor_log2 m]%bigZ) as [K|K]; constructor.
    + apply Rle_trans with (2 := L), bpow_le, K.
    + apply Rlt_le_trans with (1 := U), bpow_le. lia.
  - constructor. assert (B := bpow_gt_0 radix2 k). lra.
Qed.

Lemma are_normal_ok m : are_normal emax m = true -> least_normal <= V m.
Proof. unfold are_normal. destruct (reaches_spec (2 - emax) m); [trivial|discriminate]. Qed.

Lemma V_half_ulp e : V (half_ulp prec e) = bpow radix2 ([e]%bigZ - prec - 1).
Proof. unfold half_ulp. rewrite V_pow, BigZ.spec_sub, BigZ.spec_of_Z. f_equal. lia. Qed.

Lemma rounding_error_ok v m : Rabs v <= V m -> Rabs (rnd v - v) <= V (rounding_error prec emax m).
Proof.
  intros H. unfold rounding_error.
  set (e := if is_pos m then _ else _).
  assert (M : V m <= bpow radix2 [e]%bigZ).
  { unfold e. destruct (is_pos_spec m) as [P|P]; [apply (ceil_log2_ok m P)|].
    assert (B := bpow_ge_0 radix2 [BigZ.of_Z (3 - emax)]%bigZ). lra. }
  rewrite BigZ.spec_leb, BigZ.spec_of_Z. destruct (Z.leb_spec [e]%bigZ (3 - emax)) as [L|L].
  - rewrite V_half_ulp, BigZ.spec_of_Z. apply (rnd_error_half_ulp prec emax) with (V m); try easy.
    eapply Rle_trans; [exact M|]. apply bpow_le, L.
  - assert (P : bpow radix2 ([e]%bigZ - 1) < V m).
    { unfold e in *. destruct (is_pos_spec m) as [P|P]; [apply (ceil_log2_ok m P)|].
      rewrite BigZ.spec_of_Z in L. lia. }
    rewrite V_min, V_max, V_sub, V_pow, !V_half_ulp, BigZ.spec_pred.
    apply Rmin_glb.
    + apply (rnd_error_half_ulp prec emax) with (V m); try easy. lia.
    + apply (rnd_error_beyond prec emax); try easy. lra.
Qed.

Lemma nearest_floats_ok v i j : isin v i -> nearest_floats prec emax i = Some j -> isin (rnd v) j.
Proof.
  unfold nearest_floats. destruct (reaches _ _); [discriminate|]. intros H [= <-].
  assert (N := isin_nearest (BigZ.of_Z prec) (BigZ.of_Z (3 - emax - prec)) v i). rewrite !BigZ.spec_of_Z in N.
  apply N; [apply Hprec|exact H].
Qed.

(** * Steps 5 to 7 *)

(** What rho_1 and t say. *)
Definition relative_holds (f r : R) (relative : option (dy * dy)) : Prop :=
  match relative with
  | Some (q, t) => 0 <= V q /\ Rabs (f - r) <= V q * Rabs r + V t
  | None => True
  end.

(** What a relative bound says. *)
Definition relative_bound (f r : R) (q : option dy) : Prop :=
  match q with Some q => 0 <= V q /\ Rabs (f - r) <= V q * Rabs r | None => True end.

Lemma absolute_error_ok f r i a relative : isin r i -> Rabs (f - r) <= V a -> relative_holds f r relative ->
  Rabs (f - r) <= V (absolute_error i a relative).
Proof.
  intros Hr Ha Hq. unfold absolute_error.
  assert (U : Rabs (f - r) <= V (up a)) by (eapply Rle_trans; [exact Ha|apply up_ge]).
  destruct relative as [[q t]|]; [|exact U]. destruct Hq as [Q H].
  rewrite V_min. apply Rmin_glb; [exact U|]. eapply Rle_trans; [|apply up_ge].
  rewrite V_add, V_mul. apply abs_of_rel; try easy. apply max_abs_ge, Hr.
Qed.

Lemma min_abs_nonneg i : 0 <= V (min_abs i).
Proof.
  unfold min_abs. destruct (has_zero i); [rewrite V_zero; lra|].
  rewrite V_min, !V_abs. apply Rmin_glb; apply Rabs_pos.
Qed.

Lemma relative_error_ok f r i a relative d : isin r i -> Rabs (f - r) <= V a -> Rabs (f - r) <= V d ->
  relative_holds f r relative -> rho_holds f r (relative_error i a relative d).
Proof.
  intros Hr Ha Hd Hq. unfold relative_error.
  destruct (is_zero_spec a) as [Z|_].
  { cbn. rewrite V_zero. rewrite Z in Ha. lra. }
  set (own := match relative with Some _ => _ | None => _ end).
  set (by_range := if is_zero (min_abs i) then _ else _).
  assert (O : relative_bound f r own).
  { unfold own. destruct relative as [[q t]|]; [|exact Logic.I].
    destruct (is_zero_spec t) as [T|]; [|exact Logic.I].
    destruct Hq as [Q H]. rewrite T in H. assert (U := up_ge q). split; [lra|].
    eapply Rle_trans; [exact H|]. rewrite Rplus_0_r. apply Rmult_le_compat_r; [apply Rabs_pos|exact U]. }
  assert (B : relative_bound f r by_range).
  { unfold by_range. destruct (is_zero_spec (min_abs i)) as [|M]; [exact Logic.I|].
    assert (P : 0 < V (min_abs i)) by (assert (N := min_abs_nonneg i); lra).
    assert (L := min_abs_le r i Hr). assert (U := up_quotient_ge d (min_abs i) P).
    assert (D : 0 <= V d) by (eapply Rle_trans; [apply Rabs_pos|exact Hd]).
    assert (0 <= V d / V (min_abs i)) by (apply Rle_mult_inv_pos; assumption).
    split; [lra|]. eapply Rle_trans; [apply (rel_of_abs f r (V d) (V (min_abs i))); lra|].
    apply Rmult_le_compat_r; [apply Rabs_pos|exact U]. }
  assert (L : relative_bound f r (least_of own by_range)).
  { destruct own as [q|], by_range as [q'|]; try assumption.
    cbn [least_of]. unfold dmin. destruct (dle q q'); assumption. }
  destruct (least_of own by_range) as [q|]; [|exact Logic.I].
  destruct (dle_spec q done) as [U|]; [|exact Logic.I]. rewrite V_one in U.
  destruct L as [L1 L2]. split; [split; assumption|exact L2].
Qed.

Lemma float_range_ok f r i d rho floats : isin r i -> Rabs (f - r) <= V d -> rho_holds f r rho ->
  match floats with Some j => isin f j | None => True end -> isin f (float_range i d rho floats).
Proof.
  intros Hr Hd Hq Hf. assert (E := float_ends f r (V d) (V (lo i)) (V (hi i)) Hd Hr).
  destruct Hr as [R1 R2].
  assert (L : V (match rho with
    | Some q => if is_pos (lo i) then dmax (dsub (lo i) d) (dmul (lo i) (dsub done q)) else dsub (lo i) d
    | None => dsub (lo i) d end) <= f).
  { destruct rho as [q|]; [|rewrite V_sub; lra].
    destruct (is_pos_spec (lo i)) as [P|]; [|rewrite V_sub; lra].
    rewrite V_max, V_mul, !V_sub, V_one. apply Rmax_lub; [lra|].
    destruct Hq as [Q H]. apply float_low_rel with r; try easy; lra. }
  assert (U : f <= V (match rho with
    | Some q => if is_neg (hi i) then dmin (dadd (hi i) d) (dmul (hi i) (dsub done q)) else dadd (hi i) d
    | None => dadd (hi i) d end)).
  { destruct rho as [q|]; [|rewrite V_add; lra].
    destruct (is_neg_spec (hi i)) as [P|]; [|rewrite V_add; lra].
    rewrite V_min, V_add, V_mul, V_sub, V_one. apply Rmin_glb; [lra|].
    destruct Hq as [Q H]. apply float_high_rel with r; try easy; lra. }
  unfold float_range, isin. destruct floats as [j|]; cbn [lo hi]; [|split; assumption].
  rewrite V_max, V_min. split; [apply Rmax_lub|apply Rmin_glb]; try assumption; apply Hf.
Qed.

(** v is the exact result, or any number at most x from r and at most p from the float. *)
Theorem conclude_sound r (f : bfloat) v i x p relative floats j :
  is_finite f = true -> isin r i -> Rabs (v - r) <= V x -> Rabs (B2R f - v) <= V p ->
  relative_holds (B2R f) r relative ->
  match floats with Some k => isin (B2R f) k | None => True end ->
  conclude i x p relative floats = Some j -> holds r f j /\ Judgement.p j = p.
Proof.
  intros F Hr Hx Hp Hq Hf. unfold conclude.
  set (a := dadd x p). set (d := absolute_error i a relative). set (rho := relative_error i a relative d).
  destruct (dle _ _); [|discriminate]. intros [= <-]. split; [|reflexivity].
  assert (A : Rabs (B2R f - r) <= V a) by (unfold a; rewrite V_add; apply total_abs with v; assumption).
  assert (D : Rabs (B2R f - r) <= V d) by (apply absolute_error_ok; assumption).
  assert (Q : rho_holds (B2R f) r rho) by (apply relative_error_ok; assumption).
  split; [exact F|]. split; [exact Hr|]. split; [|split; [exact D|split; [exact Q|discriminate]]].
  apply isin_outward, float_range_ok with r; assumption.
Qed.

(** * Steps 1 to 7 *)

(** What is known of the rounding of v. *)
Definition rounding_holds (v : R) (how : rounds) : Prop := match how with
  | Exactly => rnd v = v
  | Scaling => (least_normal <= Rabs v -> rnd v = v) /\ Rabs (rnd v - v) <= tau
  | SumOrRoot => Rabs (rnd v - v) <= u * Rabs v
  | Any => True
  end.

(** v is the exact result on the operands' floats, i contains r, k contains v. The float f is the one
    nearest to v, unless v is so large that this is not known; then the judgement is refused. *)
Theorem judge_sound r (f : bfloat) v i k x relative how j :
  isin r i -> isin v k -> Rabs (v - r) <= V x ->
  relative_bound v r relative ->
  rounding_holds v how ->
  (Rabs v <= bpow radix2 (emax - 2) -> is_finite f = true /\ B2R f = rnd v) ->
  judge prec emax i k x relative how = Some j -> sound r f v j.
Proof.
  intros Hr Hk%isin_outward Hx Hq Hh Hf. unfold judge. set (w := outward k) in *. clearbody w.
  set (m := dmin _ _).
  assert (M : Rabs v <= V m).
  { unfold m. rewrite V_min, V_add. apply Rmin_glb; [|apply max_abs_ge, Hk].
    apply value_le with r; [exact Hx|]. apply max_abs_ge, Hr. }
  unfold may_overflow. destruct (is_above_spec (emax - 2) m) as [|O]; [discriminate|].
  cbn [orb]. destruct (is_too_large _ _); [discriminate|].
  destruct Hf as [F E]; [lra|].
  set (is_normal := are_normal emax (min_abs w)).
  assert (N : is_normal = true -> least_normal <= Rabs v).
  { unfold is_normal. intros N%are_normal_ok. apply Rle_trans with (1 := N), min_abs_le, Hk. }
  clearbody is_normal.
  set (p := match how with Exactly => _ | Scaling => _ | _ => _ end).
  set (t := match how with Exactly | SumOrRoot => _ | _ => _ end).
  assert (P : Rabs (B2R f - v) <= V p).
  { rewrite E. unfold p. destruct how.
    - rewrite Hh, Rminus_diag_eq, Rabs_R0, V_zero by reflexivity. lra.
    - destruct Hh as [H1 H2], is_normal.
      + rewrite H1, Rminus_diag_eq, Rabs_R0, V_zero by auto. lra.
      + rewrite V_min. apply Rmin_glb; [apply rounding_error_ok, M|]. unfold d_tau. rewrite V_power. exact H2.
    - apply rounding_error_ok, M.
    - apply rounding_error_ok, M. }
  assert (T : Rabs (B2R f - v) <= u * Rabs v + V t).
  { assert (U : 0 <= u * Rabs v) by (apply Rmult_le_pos; [apply bpow_ge_0|apply Rabs_pos]).
    rewrite E. unfold t. destruct how; cbn [rounding_holds] in Hh.
    - rewrite Hh, Rminus_diag_eq, Rabs_R0, V_zero by reflexivity. lra.
    - destruct Hh as [H1 H2], is_normal.
      + rewrite H1, Rminus_diag_eq, Rabs_R0, V_zero by auto. lra.
      + unfold d_tau. rewrite V_power. change (bpow radix2 (2 - emax - prec)) with tau. lra.
    - rewrite V_zero. lra.
    - destruct is_normal.
      + rewrite V_zero, Rplus_0_r. apply (rnd_error_normal prec emax), N. reflexivity.
      + unfold d_tau. rewrite V_power. apply (rnd_error_any prec emax). }
  intros C. apply conclude_sound with (r := r) (f := f) (v := v) in C; try assumption.
  - destruct C as [C S]. split; [exact C|rewrite S; exact P].
  - destruct relative as [q|]; [|exact Logic.I]. destruct Hq as [Q H]. cbn.
    assert (T0 : 0 <= V t).
    { unfold t. destruct how, is_normal; rewrite ?V_zero; try lra;
        unfold d_tau; rewrite V_power; apply bpow_ge_0. }
    destruct (is_zero_spec p) as [Z|_].
    + split; [exact Q|]. rewrite Z in P. apply Rabs_le_inv in P. replace (B2R f) with v by lra. lra.
    + rewrite V_add, V_mul, V_add, V_one. unfold d_u. rewrite V_power. fold u.
      split; [|apply total_rel with v; try assumption; apply bpow_ge_0].
      assert (0 <= u) by apply bpow_ge_0. unfold unit_roundoff in *. nra.
  - destruct (nearest_floats prec emax w) as [l|] eqn:L; [|exact Logic.I].
    rewrite E. apply nearest_floats_ok with w; assumption.
Qed.
End Sound.
