package io.delayqueue.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.delayqueue.admin.AuditLog;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.MessageRejectedException;
import io.delayqueue.template.OutcomeUnknownException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** What the endpoint responds if the send of a schedule's message fails. Such failures of Redis last for a moment only. */
class RunScheduleTests {

    private final DelayQueueSchedules schedules = mock(DelayQueueSchedules.class);
    private final AuditLog audit = mock(AuditLog.class);
    private final QueueActions actions = new QueueActions(
            mock(DelayQueueOperations.class),
            schedules,
            mock(DelayQueueAdmin.class),
            mock(DelayQueueJobs.class),
            audit);

    private void checkResponse(int status, String outcome) {
        WebEndpointResponse<ActionResponse> response = actions.act(
                Operation.RUN_SCHEDULE, Parameters.of(Map.of("topic", "sync", "id", "a"), List.of()), "alice");
        assertThat(response.getStatus()).isEqualTo(status);
        assertThat(Objects.requireNonNull(response.getBody()).outcome()).isEqualTo(outcome);
    }

    @Test
    void runIsAudited() {
        when(schedules.run("sync", "a")).thenReturn(Optional.of("generated"));
        checkResponse(200, "sent");
        verify(audit).add("alice", "run-schedule a", "sync", 1);
    }

    @Test
    void unknownOutcomeIsTold() {
        DelayMessage message = DelayMessage.to("sync").payload("p").build();
        when(schedules.run(any(), any()))
                .thenThrow(new OutcomeUnknownException(message, Reason.NO_REPLY, "no reply", null));
        checkResponse(503, "unknown");
        verifyNoInteractions(audit);
    }

    @ParameterizedTest
    @CsvSource({"FULL, 409", "INTERCEPTED, 409", "MEMORY_FULL, 503", "NOT_SENT, 503"})
    void rejectionIsAConflictUnlessRedisCausesIt(Reason reason, int status) {
        when(schedules.run(any(), any())).thenThrow(new MessageRejectedException("sync", "a", reason, "why", null));
        checkResponse(status, "rejected");
        verifyNoInteractions(audit);
    }

    @Test
    void unreadableMessageIsAConflict() {
        when(schedules.run(any(), any())).thenThrow(new IllegalStateException("newer format"));
        checkResponse(409, "unreadable");
    }
}
