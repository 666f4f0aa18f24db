package io.delayqueue.web.api;

import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.TopicPage;
import io.delayqueue.management.guard.Permission;
import io.delayqueue.web.api.json.Formats;
import io.delayqueue.web.api.json.InvalidRequestException;
import io.delayqueue.web.guard.Requires;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;

/** Lists topics. Thread-safe. Each Redis call blocks for at most the command timeout. */
@Controller
public class TopicsController extends ApiController {

    private final DelayQueueInspector inspector;

    /** Creates a controller. */
    public TopicsController(DelayQueueInspector inspector) {
        this.inspector = inspector;
    }

    /** Lists the topics of the client by name, with the numbers of their messages. */
    @GetMapping(BASE + "/topics")
    @Requires(Permission.ADMIN)
    public Response<TopicPage> topics(Call call, PageQuery query) {
        String page = query.page();
        TopicPage found = inspector.topics(query.count(), page == null ? null : topicOf(page), call.client()::permits);
        String next = found.next();
        return Response.ok(new TopicPage(found.topics(), next == null ? null : Formats.base64Url(next)));
    }

    private static String topicOf(String page) {
        try {
            return Formats.ofBase64Url(page);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(
                    "The parameter 'page' must be the value of 'next' in a page of topics, but was '" + page + "'.");
        }
    }
}
