package io.delayqueue.web.api;

import io.delayqueue.web.api.response.Problem;
import io.delayqueue.web.guard.RejectionReason;
import io.delayqueue.web.guard.RequestFacts;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Common base of the controllers. Its exception handlers take precedence over any advice of the application. */
abstract class ApiController {

    /** Base path of all controllers. */
    static final String BASE = "${delayqueue.http.api.base-path:/delayqueue/v1}";

    static final String TOPIC = BASE + "/topics/{topic}";

    ApiController() {}

    /** Responds with the problem of a failure. */
    @ExceptionHandler(RuntimeException.class)
    public Response<Problem> respond(RuntimeException failure, HttpServletRequest request) {
        Response<Problem> response = Problems.response(failure, request);
        RejectionReason reason = Problems.rejection(Objects.requireNonNull(response.body()));
        if (reason != null) {
            RequestFacts.rejection(request, reason);
        }
        return response;
    }

    /** Sends no response, since the connection is broken. */
    @ExceptionHandler(IOException.class)
    public void ignore(IOException failure, HttpServletResponse response) {}
}
