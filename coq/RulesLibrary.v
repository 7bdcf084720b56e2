(** The rules of ln and exp, which are as good as the library is said to be (Libm.v).

    |ln f - ln r| <= |f - r| / min(f, r), and e^d - 1 <= d + d^2 for d <= 1. The logarithm of a float is 0,
    and then exact, or so far from 0 that it is a normal number: its relative error has no subnormal part. *)
From Coq Require Import Reals ZArith QArith Qreals Lra Lia Bool.
From Bignums Require Import BigZ.
From Flocq Require Import Core BinarySingleNaN.
From Lastbit Require Import Program Rounding RealRules Dyadic Nearest Enclosure Libm Judgement RulesRounded.
Open Scope R_scope.

(** Whether a library can be as good as that, and is not so bad that nothing follows. *)
Definition possible (a : accuracy) : bool := match a with
  | CorrectlyRounded => true
  | Ulps k => Qle_bool (1 # 2) k && Qle_bool k (1048576 # 1)
  end.

Section Format.
Variables prec emax : Z.

(** What a library function adds to an exact value of magnitude at most m: the error, the error relative to
    the value where that is a normal number, and what is added to the relative error where it is not. *)
Definition own_error (a : accuracy) (m : dy) : option (dy * dy * dy) :=
  if may_overflow emax m || negb (possible a) then None
  else match a with
  | CorrectlyRounded => Some (rounding_error prec emax m, d_u prec, d_tau prec emax)
  | Ulps k =>
      do k <- outward_rational k;
      let k := hi k in
      let least := BigZ.of_Z (3 - emax) in
      let e := if is_zero m then least else BigZ.max least (BigZ.succ (floor_log2 m)) in
      Some (up (dmul k (double (half_ulp prec e))),
            double (dmul k (d_u prec)), double (dmul k (d_tau prec emax)))
  end.

(** LN. In a format with emax < prec + 2 the logarithm of a float might be subnormal. *)
Definition logarithm (acc : accuracy) (a : judgement) : option judgement :=
  let least := lo (domain a) in
  if negb (is_pos least) || Z.ltb emax (prec + 2) then None
  else
    do r <- outward_ln (real a);
    let absolute := up_quotient (d a) least in
    let x := match rho a with
      | Some q => if dle q half then dmin absolute (up (dmul q (dadd done (double q)))) else absolute
      | None => absolute
      end in
    do own <- own_error acc (dadd (max_abs r) x);
    let '(p, l, _) := own in
    conclude r x p (if is_zero x then Some (l, dzero) else None) None.

(** EXP. Above `greatest` the float is infinite and below `least` it is 0, in any case. *)
Definition exponential (acc : accuracy) (a : judgement) : option judgement :=
  let greatest := integer (2 * (emax - 1)) in
  let least := integer (-8 * (emax - 1)) in
  if dlt greatest (hi (real a)) || dlt (integer 64) (d a) then None
  else
    do low <- (if dlt (lo (real a)) least then Some dzero else exp_below (lo (real a)));
    do high <- exp_above (dmax (hi (real a)) least);
    do growth <- (if dle (d a) done then Some (up (dadd (d a) (dmul (d a) (d a)))) else up_exp (d a));
    let x := up (dmul high growth) in
    let m := dadd high x in
    do own <- own_error acc m;
    let '(p, l, subnormal) := own in
    let is_normal := is_pos low && are_normal emax (dmul low (dsub done growth)) in
    let t := if is_normal then dzero else subnormal in
    let relative := dadd growth (dmul l (dadd done growth)) in
    let floats := match acc with CorrectlyRounded => Some (I dzero (dadd m p)) | Ulps _ => None end in
    if dle low high then conclude (I low high) x p (Some (relative, t)) floats else None.
End Format.

(** * Soundness *)
Section Sound.
Context {prec emax : Z} {Hprec : Prec_gt_0 prec} {Hmax : Prec_lt_emax prec emax}.
Notation rnd := (rnd prec emax).
Notation bfloat := (binary_float prec emax).

(** What own_error says of a float f for the exact value v. *)
Lemma own_error_ok acc m p l s v (f : bfloat) : own_error prec emax acc m = Some (p, l, s) -> Rabs v <= V m ->
  (Rabs v <= bpow radix2 (emax - 2) -> accurate acc f v) ->
  accurate acc f v /\ Rabs (B2R f - v) <= V p /\ Rabs (B2R f - v) <= V l * Rabs v + V s /\
  (least_normal emax <= Rabs v -> Rabs (B2R f - v) <= V l * Rabs v) /\ 0 <= V l.
Proof.
  unfold own_error, may_overflow. intros H M HA. revert H.
  destruct (is_above_spec (emax - 2) m) as [|O]; [discriminate|].
  assert (ACC : accurate acc f v) by (apply HA; lra). cbn [orb].
  destruct (possible acc) eqn:Q; [|discriminate]. cbn [negb]. intros H. split; [exact ACC|]. revert H.
  destruct ACC as [_ A], acc as [|k].
  - intros [= <- <- <-]. unfold d_u, d_tau. rewrite !V_power, A. repeat split.
    + apply rounding_error_ok, M.
    + apply (rnd_error_any prec emax).
    + apply (rnd_error_normal prec emax).
    + apply bpow_ge_0.
  - destruct (outward_rational k) as [i|] eqn:I; [|discriminate]. apply outward_rational_ok in I.
    set (c := hi i). assert (C : 0 <= Q2R k <= V c).
    { split; [|apply I]. cbn [possible] in Q. apply andb_prop in Q as [Q _]. apply Qle_bool_iff, Qle_Rle in Q.
      unfold Q2R at 1 in Q. cbn in Q. lra. }
    set (e := if is_zero m then _ else _). intros [= <- <- <-].
    assert (E : (3 - emax <= [e]%bigZ)%Z /\ V m < bpow radix2 [e]%bigZ).
    { unfold e. destruct (is_zero_spec m) as [Z|Z].
      - rewrite BigZ.spec_of_Z, Z. split; [lia|apply bpow_gt_0].
      - rewrite BigZ.spec_max, BigZ.spec_of_Z, BigZ.spec_succ. split; [lia|].
        apply Rle_lt_trans with (1 := Rle_abs _). eapply Rlt_le_trans; [apply (floor_log2_ok m Z)|].
        apply bpow_le. lia. }
    assert (A' : Rabs (B2R f - v) <= V c * float_ulp prec emax v).
    { eapply Rle_trans; [exact A|]. apply Rmult_le_compat_r; [apply ulp_ge_0|apply C]. }
    assert (C0 : 0 <= V c) by lra.
    unfold d_u, d_tau. rewrite !V_double, !V_mul, !V_power. repeat split.
    + eapply Rle_trans; [|apply up_ge]. rewrite V_mul, V_double, V_half_ulp.
      replace (2 * bpow radix2 ([e]%bigZ - prec - 1)) with (bpow radix2 ([e]%bigZ - prec))
        by (change 2 with (bpow radix2 1); rewrite <- bpow_plus; f_equal; lia).
      apply (within_ulps_abs prec emax) with (V m); try assumption; apply E.
    + eapply Rle_trans; [apply (within_ulps_any prec emax); eassumption|]. unfold unit_roundoff, tau. lra.
    + intros N. eapply Rle_trans; [apply (within_ulps_normal prec emax); eassumption|].
      unfold unit_roundoff. lra.
    + assert (B := bpow_ge_0 radix2 (- prec)). nra.
Qed.

Lemma logarithm_sound lib for_ln for_exp r (f : bfloat) a j : meets lib for_ln for_exp -> holds r f a ->
  logarithm prec emax for_ln a = Some j -> sound (ln r) (flln lib f) (ln (B2R f)) j.
Proof.
  intros L A. unfold logarithm. assert (DR := real_in_domain r f a A). assert (DF := float_in_domain r f a A).
  destruct (is_pos_spec (lo (domain a))) as [P|]; [|discriminate]. cbn [negb orb].
  destruct (Z.ltb_spec emax (prec + 2)) as [|W]; [discriminate|].
  destruct (outward_ln (real a)) as [i|] eqn:R; [|discriminate].
  destruct A as (Fa & Ra & Va & Da & Qa & _). apply (isin_ln r) in R; [|assumption].
  assert (PR : V (lo (domain a)) <= r) by apply DR. assert (PF : V (lo (domain a)) <= B2R f) by apply DF.
  set (x := match rho a with Some _ => _ | None => _ end).
  assert (X : Rabs (ln (B2R f) - ln r) <= V x).
  { assert (X : Rabs (ln (B2R f) - ln r) <= V (up_quotient (d a) (lo (domain a)))).
    { eapply Rle_trans; [|apply up_quotient_ge, P]. apply ln_abs; assumption. }
    unfold x. destruct (rho a) as [q|]; [|exact X]. destruct (dle_spec q half) as [H|]; [|exact X].
    rewrite V_half in H. rewrite V_min. apply Rmin_glb; [exact X|].
    eapply Rle_trans; [|apply up_ge]. rewrite V_mul, V_add, V_one, V_double. destruct Qa as [Q1 Q2].
    apply ln_rel; [lra|lra|exact Q2]. }
  destruct (own_error _ _ _ _) as [[[p l] s]|] eqn:O; [|discriminate].
  assert (PF' : 0 < B2R f) by lra. assert (ACC := meets_ln lib for_ln for_exp L f Fa PF').
  assert (M : Rabs (ln (B2R f)) <= V (dadd (max_abs i) x)).
  { rewrite V_add. apply value_le with (ln r); [exact X|apply max_abs_ge, R]. }
  destruct (own_error_ok _ _ _ _ _ (ln (B2R f)) (flln lib f) O M (fun _ => ACC)) as ([F _] & E & _ & N & L0).
  intros C. apply conclude_sound with (r := ln r) (f := flln lib f) (v := ln (B2R f)) in C;
    try assumption; try exact Logic.I.
  - destruct C as [C S]. split; [exact C|rewrite S; exact E].
  - destruct (is_zero_spec x) as [Z|]; [|exact Logic.I]. split; [exact L0|]. rewrite V_zero, Rplus_0_r.
    assert (S : ln (B2R f) = ln r) by (rewrite Z in X; apply Rabs_le_inv in X; lra). rewrite <- S.
    destruct (Req_dec (B2R f) 1) as [One|One].
    + rewrite (meets_ln_1 lib for_ln for_exp L f Fa One), One, ln_1, Rminus_0_r, Rabs_R0. lra.
    + apply N, (ln_float_normal prec emax); try assumption. apply format.
Qed.

Lemma exponential_sound lib for_ln for_exp r (f : bfloat) a j : meets lib for_ln for_exp -> holds r f a ->
  exponential prec emax for_exp a = Some j -> sound (exp r) (flexp lib f) (exp (B2R f)) j.
Proof.
  intros L (Fa & Ra & Va & Da & Qa & _). unfold exponential.
  destruct (_ || _)%bool; [discriminate|]. set (least := integer _).
  destruct (if dlt _ _ then Some dzero else exp_below (lo (real a))) as [low|] eqn:LOW; [|discriminate].
  destruct (exp_above _) as [high|] eqn:HIGH; [|discriminate].
  destruct (if dle (d a) done then Some _ else up_exp (d a)) as [g|] eqn:G; [|discriminate].
  assert (I : isin (exp r) (Enclosure.I low high)).
  { destruct Ra as [R1 R2]. split; cbn [lo hi].
    - destruct (dlt (lo (real a)) least).
      + injection LOW as <-. rewrite V_zero. apply Rlt_le, exp_pos.
      + apply Rle_trans with (1 := exp_below_le _ _ LOW). apply exp_le, R1.
    - eapply Rle_trans; [|apply (exp_above_ge _ _ HIGH)]. apply exp_le. rewrite V_max.
      apply Rle_trans with (1 := R2), Rmax_l. }
  assert (GG : (V (d a) <= 1 /\ V (d a) + V (d a) * V (d a) <= V g) \/ exp (V (d a)) <= V g).
  { destruct (dle_spec (d a) done) as [D|_].
    - injection G as <-. left. rewrite V_one in D. split; [exact D|]. rewrite <- V_mul, <- V_add. apply up_ge.
    - right. apply (up_exp_ge _ _ G). }
  assert (G0 : 0 <= V g).
  { assert (0 <= V (d a)) by (eapply Rle_trans; [apply Rabs_pos|exact Da]).
    destruct GG as [GG|GG]; [nra|]. apply Rle_trans with (2 := GG), Rlt_le, exp_pos. }
  assert (REL := exp_rel _ _ _ _ Da GG).
  set (x := up (dmul high g)). set (m := dadd high x).
  assert (X : Rabs (exp (B2R f) - exp r) <= V x).
  { unfold x. eapply Rle_trans; [|apply up_ge]. rewrite V_mul.
    apply exp_abs with (V (d a)); try assumption. apply I. }
  assert (M : Rabs (exp (B2R f)) <= V m).
  { unfold m. rewrite V_add. apply value_le with (exp r); [exact X|].
    rewrite Rabs_pos_eq by apply Rlt_le, exp_pos. apply I. }
  destruct (own_error _ _ _ _) as [[[p l] s]|] eqn:O; [|discriminate].
  destruct (own_error_ok _ _ _ _ _ (exp (B2R f)) (flexp lib f) O M) as ([F AC] & E & T & N & L0).
  { rewrite Rabs_pos_eq by apply Rlt_le, exp_pos. apply (meets_exp lib for_ln for_exp L f Fa). }
  destruct (dle low high); [|discriminate].
  intros C. apply conclude_sound with (r := exp r) (f := flexp lib f) (v := exp (B2R f)) in C; try assumption.
  - destruct C as [C S]. split; [exact C|rewrite S; exact E].
  - split; [rewrite V_add, V_mul, V_add, V_one; nra|].
    rewrite V_add, V_mul, V_add, V_one. apply total_rel with (exp (B2R f)); try assumption.
    destruct (is_pos_spec low) as [L1|]; [|exact T]. cbn [andb].
    destruct (are_normal emax (dmul low (dsub done g))) eqn:H; [|exact T].
    apply are_normal_ok in H. rewrite V_mul, V_sub, V_one in H. rewrite V_zero, Rplus_0_r. apply N.
    apply Rle_trans with (1 := H). rewrite (Rabs_pos_eq (exp (B2R f))) by apply Rlt_le, exp_pos.
    apply exp_low with r; [exact REL|]. split; [lra|apply I].
  - destruct for_exp as [|k]; [|exact Logic.I]. split; cbn [lo hi].
    + rewrite V_zero, AC. apply Rle_trans with (rnd 0).
      * rewrite (rnd_exact prec emax); [lra|]. apply (is_float_0 prec emax).
      * apply (rnd_le prec emax), Rlt_le, exp_pos.
    + rewrite V_add. apply Rabs_le_inv in E. apply Rabs_le_inv in M. lra.
Qed.
End Sound.
