package io.delayqueue.admin.diagnosis;

/** One rule: it adds findings of its kinds. A rule runs after those of more urgent kinds. */
interface Rule {

    /** Adds what it finds. */
    void check(Situation situation);
}
