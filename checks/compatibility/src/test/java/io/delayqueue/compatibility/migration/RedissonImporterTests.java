package io.delayqueue.compatibility.migration;

class RedissonImporterTests extends ImporterContract {

    RedissonImporterTests() {
        super(OldLibrary.REDISSON);
    }
}
