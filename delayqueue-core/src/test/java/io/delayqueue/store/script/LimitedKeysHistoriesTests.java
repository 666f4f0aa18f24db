package io.delayqueue.store.script;

import static org.assertj.core.api.Assertions.assertThat;

/** Histories of a fair topic with a per-key limit. */
class LimitedKeysHistoriesTests extends FairHistoriesTests {

    private int limit = 2;

    @Override
    void prepare() {
        limit = 3 - limit;
        bench.redis().call("HSET", bench.key("meta"), "limits", "0 0 0 0 " + limit);
    }

    @Override
    void checkClaim(String id, String key) {
        super.checkClaim(id, key);
        assertThat(held.values().stream().filter(lease -> lease.key().equals(key)))
                .as("leases of key " + key + " beside " + id)
                .hasSizeLessThan(limit);
    }
}
