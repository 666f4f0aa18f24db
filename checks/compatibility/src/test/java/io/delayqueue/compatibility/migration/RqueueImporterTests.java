package io.delayqueue.compatibility.migration;

class RqueueImporterTests extends ImporterContract {

    RqueueImporterTests() {
        super(OldLibrary.RQUEUE);
    }
}
