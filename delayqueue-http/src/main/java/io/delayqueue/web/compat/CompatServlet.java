package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.management.guard.AccessDeniedException;
import io.delayqueue.management.guard.Client;
import io.delayqueue.message.Completions;
import io.delayqueue.web.guard.AccessGuard;
import io.delayqueue.web.guard.RejectionReason;
import io.delayqueue.web.guard.RequestFacts;
import io.delayqueue.web.waiting.BriefWait;
import io.delayqueue.web.waiting.RequestBodies;
import io.delayqueue.web.waiting.SlowBodyException;
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
 * The HTTP interface of ouqiang/delay-queue: {@code /push}, {@code /pop}, {@code /finish}, {@code /delete} and
 * {@code /get}. Accepts any HTTP method. Requests to the five paths get the status 200 or, without access, 401, 403 or
 * 429. Other paths get 404. Requires asynchronous support. Thread-safe. Not serializable.
 */
public final class CompatServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    private static final byte[] NO_JSON = ResponseBody.failed("解析json失败");
    private static final byte[] NO_BODY = ResponseBody.failed("读取request body失败");
    private static final byte[] NO_PAGE = "404 page not found\n".getBytes(UTF_8);

    private final transient AccessGuard guard;
    private final transient JobService jobs;
    private final transient JobPolls polls;
    private final transient RequestBodies bodies;
    private final transient ResponseWriter writer;
    private final boolean belowBasePath;

    /**
     * Creates a servlet.
     *
     * @param belowBasePath whether the servlet is mapped to all paths below a base path, instead of {@link #paths()}
     */
    public CompatServlet(
            AccessGuard guard,
            JobService jobs,
            JobPolls polls,
            RequestBodies bodies,
            String contentType,
            boolean belowBasePath) {
        this.guard = guard;
        this.jobs = jobs;
        this.polls = polls;
        this.bodies = bodies;
        this.writer = new ResponseWriter(contentType);
        this.belowBasePath = belowBasePath;
    }

    /**
     * Returns the paths to which the servlet is mapped if it has no base path. Other paths belong to the application.
     */
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
        byte[] immediate;
        try {
            Client client = guard.authorize(request, response, verb.operation(), verb.permissions());
            immediate = begin(verb, request, response, client);
        } catch (AccessDeniedException denied) {
            RequestFacts.rejection(request, RejectionReason.of(denied.rejection()));
            writer.write(response, denied.rejection().status(), verb.failed(denied.getMessage()));
            return;
        }
        if (immediate != null) {
            writer.write(response, HttpServletResponse.SC_OK, immediate);
        }
    }

    /** Returns the response body, or null if the response is written here or asynchronously. */
    private byte @Nullable [] begin(
            Verb verb, HttpServletRequest request, HttpServletResponse response, Client client) {
        byte[] body;
        try {
            body = bodies.read(request);
        } catch (SlowBodyException e) {
            RequestFacts.rejection(request, RejectionReason.SLOW_BODY);
            return verb.failed(e.getMessage());
        } catch (IOException e) {
            return NO_BODY;
        }
        if (body == null) {
            RequestFacts.rejection(request, RejectionReason.TOO_LARGE);
            return verb.failed("The body exceeds the maximum size (delayqueue.http.max-body-size) of "
                    + bodies.maxBytes()
                    + " bytes");
        }
        CompatRequest job = GoJsonReader.read(body, verb.fields());
        if (job == null) {
            return NO_JSON;
        }
        if (verb == Verb.POP) {
            return polls.pop(request, response, job.topic(), client, writer);
        }
        CompletableFuture<byte[]> executing = jobs.execute(verb, job, client);
        if (BriefWait.isDone(executing) && !executing.isCompletedExceptionally()) {
            return executing.join();
        }
        AsyncResponse later = writer.begin(request, Duration.ZERO, () -> {});
        executing.whenComplete((bytes, failure) -> {
            if (failure == null) {
                later.write(() -> bytes, () -> {});
            } else if (Completions.cause(failure) instanceof AccessDeniedException denied) {
                RequestFacts.rejection(request, RejectionReason.of(denied.rejection()));
                later.write(denied.rejection().status(), () -> verb.failed(denied.getMessage()), () -> {});
            }
        });
        return null;
    }
}
