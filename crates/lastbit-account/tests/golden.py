"""Numbers in golden.rs: integrals at 40 digits, of one, two and three releases, in both directions. Needs mpmath; takes a minute.

Each line: the mechanism, its parameters, epsilon, and delta with the unit against without it, then the other way round ("once", "twice"), or for
Laplace noise delta of two and of three releases.
"""

from mpmath import mp, mpf, quad, erfc, exp, log, sqrt, inf, linspace
mp.dps = 40
def ncdf(x): return erfc(-x/sqrt(2))/2
def pdf(x): return exp(-x*x/2)/sqrt(2*mp.pi)
# subsampled Gaussian mu = sqrt(2 rho); P=(1-r)N(0)+rN(mu), Q=N(0)
def sg(r, mu):
    r, mu = mpf(r), mpf(mu)
    # loss grows with x
    l  = lambda x: log(1-r+r*exp(mu*x-mu*mu/2))
    xat = lambda lo: (log((exp(lo)-1+r)/r)+mu*mu/2)/mu
    P = lambda x: (1-r)*pdf(x)+r*pdf(x-mu)
    Ptail = lambda x: (1-r)*ncdf(-x)+r*ncdf(mu-x)
    Qtail = lambda x: ncdf(-x)
    Qlow = lambda x: ncdf(x); Plow = lambda x: (1-r)*ncdf(x)+r*ncdf(x-mu)
    def d1(e):  # remove: P - e^e Q, real e
        if exp(e)-1+r <= 0: return 1-exp(e)
        x=xat(e); return Ptail(x)-exp(e)*Qtail(x)
    def a1(e):  # add: Q - e^e P, loss -l > e: l< -e
        if exp(-e)-1+r <= 0: return mpf(0)
        x=xat(-e); return Qlow(x)-exp(e)*Plow(x)
    return l,P,d1,a1
def compose2(r,mu,e):
    l,P,d1,a1=sg(r,mu)
    pts=linspace(-12,14,105)
    rem=quad(lambda x: P(x)*d1(e-l(x)), pts)
    kink=[]
    add=quad(lambda x: pdf(x)*a1(e+l(x)), pts)
    return rem,add
for r,mu in [('0.1','1'),('0.5','0.5')]:
    l,P,d1,a1=sg(r,mu)
    for e in ['0.1','0.5','1']:
        e=mpf(e)
        print('gaussian', r,mu,e,'once', mp.nstr(d1(e),20), mp.nstr(a1(e),20))
        rem,add=compose2(r,mu,e)
        print('gaussian', r,mu,e,'twice',mp.nstr(rem,18), mp.nstr(add,18))
# Laplace eps0, composition of 2,3 : loss atoms ±e0, density e^{(l-e0)/2}/4
def lap(e0):
    e0=mpf(e0)
    def d1(e):
        if e>=e0: return mpf(0)
        if e<=-e0: return 1-exp(e)
        return 1-exp((e-e0)/2)
    return e0,d1
def conv(e0,d,kinks):
    def dn(e):
        ks=sorted(set([-e0,e0]+[k for k in [e-x for x in kinks] if -e0<k<e0]))
        return d(e-e0)/2+exp(-e0)/2*d(e+e0)+quad(lambda m: exp((m-e0)/2)/4*d(e-m), ks)
    return dn
for e0 in ['1','0.3']:
    E,d1=lap(e0)
    d2=conv(E,d1,[-E,E]); d3=conv(E,d2,[-2*E,0,2*E])
    for share in ['0','0.5','1.2']:
        e=mpf(share)*E
        print('laplace',e0,mp.nstr(e,10),mp.nstr(d2(e),18), mp.nstr(d3(e),18))
# sampled laplace twice
def sl(r,e0):
    r,e0=mpf(r),mpf(e0)
    L=lambda m: log(1-r+r*exp(m))
    top,bot=L(e0),L(-e0)
    mat=lambda l: log((exp(l)-1+r)/r)
    # B1: m=e0 w.p. 1/2, -e0 w.p. e^-e0/2, density e^{(m-e0)/2}/4 ; B0: e0 w.p. e^-e0/2, -e0 w.p. 1/2, density e^{-(m+e0)/2}/4
    p=lambda m: (1-r)*exp(-(m+e0)/2)/4+r*exp((m-e0)/2)/4
    q=lambda m: exp(-(m+e0)/2)/4
    ptop=(1-r)*exp(-e0)/2+r/2; qtop=exp(-e0)/2
    pbot=(1-r)/2+r*exp(-e0)/2; qbot=mpf(1)/2
    # B1(>=m) , B0(>=m) within (-e0,e0]
    b1=lambda m: 1-exp((m-e0)/2)/2; b0=lambda m: exp(-(m+e0)/2)/2
    def d1(e):
        if e>=top: return mpf(0)
        if e<=bot: return 1-exp(e)
        m=mat(e); P=(1-r)*b0(m)+r*b1(m); return P-exp(e)*b0(m)
    def a1(e): # Q-e^e P
        if -e<=bot: return mpf(0)
        if -e>=top: return 1-exp(e)
        m=mat(-e); P=1-((1-r)*b0(m)+r*b1(m)); Q=1-b0(m); return Q-exp(e)*P
    def d2(e):
        ks=sorted(set([-e0,e0]+[mat(x) for x in [e-top,e-bot] if bot<x<top]))
        return ptop*d1(e-top)+pbot*d1(e-bot)+quad(lambda m:p(m)*d1(e-L(m)),ks)
    def a2(e):
        ks=sorted(set([-e0,e0]+[mat(x) for x in [-e-top,-e-bot] if bot<x<top]))
        return qtop*a1(e+top)+qbot*a1(e+bot)+quad(lambda m:q(m)*a1(e+L(m)),ks)
    return d1,a1,d2,a2
for r,e0 in [('0.1','2'),('0.5','1')]:
    d1,a1,d2,a2=sl(r,e0)
    for e in ['0','0.1','0.3']:
        e=mpf(e); print('sampled laplace',r,e0,e,'once',mp.nstr(d1(e),18),mp.nstr(a1(e),18),'twice',mp.nstr(d2(e),18),mp.nstr(a2(e),18))
