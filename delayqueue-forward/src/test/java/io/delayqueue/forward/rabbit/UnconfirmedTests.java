package io.delayqueue.forward.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.delayqueue.forward.ForwardException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UnconfirmedTests {

    private final Unconfirmed unconfirmed = new Unconfirmed();
    private final List<CompletableFuture<Void>> published = LongStream.rangeClosed(1, 4)
            .mapToObj(number -> add(number, "m" + number))
            .toList();

    private CompletableFuture<Void> add(long number, @Nullable String id) {
        return unconfirmed.add(number, "exchange", "key", id).confirmed();
    }

    @Test
    void singleMessageIsAcknowledged() {
        unconfirmed.acknowledged(3, false);

        assertThat(published.get(2)).isCompleted();
        assertThat(published.get(1)).isNotDone();
        assertThat(unconfirmed.size()).isEqualTo(3);
    }

    @Test
    void allMessagesUpToANumberAreAcknowledged() {
        unconfirmed.acknowledged(3, true);

        assertThat(published.subList(0, 3)).allMatch(CompletableFuture::isDone);
        assertThat(published.get(3)).isNotDone();
        assertThat(unconfirmed.size()).isOne();
    }

    @Test
    void allMessagesUpToANumberAreRejected() {
        unconfirmed.rejected(2, true);

        assertThat(published.subList(0, 2)).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(published.get(2)).isNotDone();
        assertThat(unconfirmed.size()).isEqualTo(2);
    }

    @Test
    void confirmOfAReturnedMessageIsIgnored() {
        unconfirmed.returned(returned("m2"));
        unconfirmed.acknowledged(4, true);

        assertThat(published.get(1))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ForwardException.class);
        assertThat(published.get(0)).isCompletedWithValue(null);
        assertThat(unconfirmed.size()).isZero();
    }

    @Test
    void messageWithoutAnIdIsReturned() {
        CompletableFuture<Void> nameless = add(5, null);

        unconfirmed.returned(returned(null));

        assertThat(nameless).isCompletedExceptionally();
        assertThat(published).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void cancelledMessageIsRemoved() {
        published.get(1).cancel(false);
        assertThat(unconfirmed.size()).isEqualTo(3);

        unconfirmed.acknowledged(2, false);
        assertThat(published.get(1)).isCancelled();
        assertThat(published.get(0)).isNotDone();
    }

    @Test
    void messagesOfALostChannelFail() {
        unconfirmed.lost(new ShutdownSignalException(true, false, null, null));

        assertThat(published).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(unconfirmed.size()).isZero();
    }

    private static Return returned(@Nullable String id) {
        return new Return(
                312,
                "NO_ROUTE",
                "exchange",
                "key",
                new BasicProperties.Builder().messageId(id).build(),
                new byte[0]);
    }
}
