package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.container.IsolationSlot.Claimant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IsolationSlotTests {

    private final IsolationSlot slot = new IsolationSlot();
    private final List<String> granted = new ArrayList<>();
    private final Claimant one = () -> granted.add("one");
    private final Claimant two = () -> granted.add("two");
    private final ClaimedDelivery first = Claims.delivery("first");
    private final ClaimedDelivery second = Claims.delivery("second");

    @Test
    void pollersGetTheSlotInTheOrderOfTheirRequests() {
        assertThat(slot.request(one)).isTrue();
        assertThat(slot.request(one)).isTrue();
        assertThat(slot.request(two)).isFalse();
        assertThat(slot.request(two)).isFalse();
        slot.release(two);
        slot.release(one);
        assertThat(granted).isEmpty();

        assertThat(slot.request(two)).isTrue();
        assertThat(slot.request(one)).isFalse();
        slot.release(two);
        assertThat(granted).containsExactly("one");
        assertThat(slot.mayClaim(one)).isTrue();
    }

    @Test
    void slotIsNotPassedOnWhileItsSuspectIsHandled() {
        assertThat(slot.beginHandling(one, first)).isTrue();
        assertThat(slot.beginHandling(two, second)).isFalse();

        slot.release(one);

        assertThat(granted).isEmpty();
        assertThat(slot.mayClaim(one)).isFalse();
        assertThat(slot.beginHandling(one, second)).isFalse();
        assertThat(slot.suspectOf(one)).isSameAs(first);
        assertThat(slot.endHandling(one, first)).isTrue();
        assertThat(granted).containsExactly("two");
    }

    @Test
    void endOfAnEarlierSuspectDoesNotEndTheNext() {
        slot.beginHandling(one, first);
        assertThat(slot.endHandling(one, first)).isTrue();
        slot.beginHandling(one, second);

        assertThat(slot.endHandling(one, first)).isFalse();

        assertThat(slot.suspectOf(one)).isSameAs(second);
        assertThat(slot.beginHandling(two, first)).isFalse();
    }
}
