package io.delayqueue.web.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.management.guard.Client;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.web.waiting.LongPolls.LongPoll;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LongPollsTests {

    private final LongPolls polls = new LongPolls(2);
    private final Client other = Client.ofUser(null);

    @Test
    void numberOfWaitingClientsIsLimited() {
        LongPoll first = polls.open(other);
        polls.open(other);

        assertThatThrownBy(() -> polls.open(other))
                .isInstanceOf(TooManyWaitingException.class)
                .hasMessageContaining("(delayqueue.http.max-waiting, 2) already waits on this node");

        first.close();
        first.close();
        assertThat(polls.waiting()).isEqualTo(1);
        polls.open(other);
        assertThat(polls.waiting()).isEqualTo(2);
    }

    @Test
    void numberOfWaitingRequestsOfAClientIsLimited() {
        Client shop = new Client("shop", List.of(), Set.of(Permission.CONSUME), List.of("*"), null, 1, () -> 0);
        LongPoll first = polls.open(shop);

        assertThatThrownBy(() -> polls.open(shop))
                .isInstanceOf(TooManyWaitingException.class)
                .hasMessageContaining(
                        "client 'shop' (delayqueue.http.clients.shop.max-waiting, 1) already waits on this node");

        polls.open(other).close();
        first.close();
        first.close();
        polls.open(shop);
        assertThatThrownBy(() -> polls.open(shop)).isInstanceOf(TooManyWaitingException.class);
    }

    @Test
    void shutdownEndsWaitsAndThoseThatBeginLater() {
        AtomicInteger ended = new AtomicInteger();
        polls.open(other).onShutdown(ended::incrementAndGet);
        LongPoll closed = polls.open(other);
        closed.onShutdown(ended::incrementAndGet);
        closed.close();

        polls.stop();
        assertThat(ended).hasValue(1);
        polls.open(other).onShutdown(ended::incrementAndGet);
        assertThat(ended).hasValue(2);
    }
}
