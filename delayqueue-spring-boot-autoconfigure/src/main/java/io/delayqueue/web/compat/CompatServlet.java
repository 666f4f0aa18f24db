package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.guard.Refusal;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The interface of ouqiang/delay-queue: {@code /push}, {@code /pop}, {@code /finish}, {@code /delete} and {@code /get}, by
 * any method, always answered with status 200 but for those whom the guard doesn't let in. Needs asynchronous support. Not
 * serializable.
 */
public final class CompatServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    private static final byte[] NO_JSON = Answer.failed("解析json失败");
    private static final byte[] NO_BODY = Answer.failed("读取request body失败");
    private static final byte[] NO_PAGE = "404 page not found\n".getBytes(UTF_8);

    private final transient AccessGuard guard;
    private final transient JobDesk desk;
    private final transient JobPolls polls;
    private final transient CompatSettings settings;
    private final transient AnswerWriter writer;
    private final boolean belowBasePath;

    /**
     * With what does the work.
     *
     * @param belowBasePath whether it is mapped to all paths below a base path, instead of to {@link #paths()} only
     */
    public CompatServlet(
            AccessGuard guard, JobDesk desk, JobPolls polls, CompatSettings settings, boolean belowBasePath) {
        this.guard = guard;
        this.desk = desk;
        this.polls = polls;
        this.settings = settings;
        this.writer = new AnswerWriter(settings.contentType());
        this.belowBasePath = belowBasePath;
    }

    /** What it is to be mapped to where it has no base path, so that other paths stay the application's. */
    public static List<String> paths() {
        return Stream.of(Verb.values()).map(Verb::path).toList();
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Verb verb = Verb.at(belowBasePath ? request.getPathInfo() : request.getServletPath());
        if (verb == null) {
            response.setContentType("text/plain;charset=utf-8");
            response.setStatus(HttpServletResponse.SC_NOT_FOUND);
            response.getOutputStream().write(NO_PAGE);
            return;
        }
        Refusal refusal = guard.check(request, response, verb.permissions());
        if (refusal != null) {
            writer.write(response, refusal.status(), verb.failed(refusal.sentence()));
            return;
        }
        byte[] known = begin(verb, request);
        if (known != null) {
            writer.write(response, HttpServletResponse.SC_OK, known);
        }
    }

    /** The answer, or null if it is given later. */
    private byte @Nullable [] begin(Verb verb, HttpServletRequest request) {
        byte[] body;
        try {
            body = body(request);
        } catch (IOException e) {
            return NO_BODY;
        }
        if (body.length > settings.maxBodyBytes()) {
            return verb.failed("The body of a request has " + settings.maxBodyBytes()
                    + " bytes at most (delayqueue.http.max-body-size), but this one has more");
        }
        JobRequest job = GoJsonReader.read(body, verb.fields());
        if (job == null) {
            return NO_JSON;
        }
        if (verb == Verb.POP) {
            return polls.pop(request, job.topic(), writer);
        }
        CompletableFuture<byte[]> answer = desk.answer(verb, job);
        if (answer.isDone()) {
            return answer.join();
        }
        AsyncContext async = writer.begin(request, Duration.ZERO);
        async.addListener(new EndListener(() -> {}));
        CompletableFuture<?> ignored = answer.thenAccept(later -> writer.writeLater(async, () -> later, () -> {}));
        return null;
    }

    /** At most a byte more than it may have. */
    private byte[] body(HttpServletRequest request) throws IOException {
        return request.getInputStream().readNBytes(settings.maxBodyBytes() + 1);
    }
}
