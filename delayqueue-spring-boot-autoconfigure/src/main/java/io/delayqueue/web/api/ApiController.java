package io.delayqueue.web.api;

import io.delayqueue.web.api.answer.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** What the controllers have in common: their own answers to failures, before any advice of the application. */
abstract class ApiController {

    /** Where the paths of all controllers begin. */
    static final String BASE = "${delayqueue.http.api.base-path:/delayqueue/v1}";

    static final String TOPIC = BASE + "/topics/{topic}";

    ApiController() {}

    /** Tells a failure. */
    @ExceptionHandler(RuntimeException.class)
    public Answer<Problem> tell(RuntimeException failure, HttpServletRequest request) {
        return Problems.answer(failure, request.getMethod());
    }

    /** Nothing is to be told, since the connection is broken. */
    @ExceptionHandler(IOException.class)
    public void leave(IOException failure, HttpServletResponse response) {}
}
