package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.MessageSnapshot;
import java.time.Duration;
import java.time.Instant;

/** Response bodies, formatted as by Go's {@code json.Marshal}. */
final class ResponseBody {

    static final String DONE = "操作成功";

    private static final String NOTHING = "null";

    private ResponseBody() {}

    /** Success, without data. */
    static byte[] done(String message) {
        return body(0, message, NOTHING);
    }

    /** Failure, with an error message. */
    static byte[] failed(String message) {
        return body(1, message, NOTHING);
    }

    /** A popped job. */
    static byte[] job(String id, byte[] body) {
        StringBuilder data = new StringBuilder(body.length + 64).append("{\"id\":");
        GoText.quote(data, id);
        GoText.quote(data.append(",\"body\":"), GoText.decode(body));
        return body(0, DONE, data.append('}').toString());
    }

    /**
     * A job that was found by {@code /get}.
     *
     * @param lease reported as the time to run if the job has none
     */
    static byte[] found(MessageSnapshot message, Duration lease) {
        Instant due = message.envelope().dueAt();
        Duration own = message.envelope().limits().lease();
        StringBuilder data = new StringBuilder(128).append("{\"topic\":");
        GoText.quote(data, message.topic());
        GoText.quote(data.append(",\"id\":"), message.id());
        data.append(",\"delay\":").append(due.getEpochSecond());
        data.append(",\"ttr\":").append((own == null ? lease : own).toSeconds());
        GoText.quote(data.append(",\"body\":"), GoText.decode(message.envelope().payload()));
        return body(0, DONE, data.append('}').toString());
    }

    private static byte[] body(int code, String message, String data) {
        StringBuilder json = new StringBuilder(data.length() + 64);
        GoText.quote(json.append("{\"code\":").append(code).append(",\"message\":"), message);
        return json.append(",\"data\":").append(data).append('}').toString().getBytes(UTF_8);
    }
}
