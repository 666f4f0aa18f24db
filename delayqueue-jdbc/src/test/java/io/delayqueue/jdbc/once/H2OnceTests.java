package io.delayqueue.jdbc.once;

/** Listeners with once on H2. */
class H2OnceTests extends OnceContract {

    @Override
    OnceDatabase newDatabase() {
        return OnceDatabase.h2();
    }
}
