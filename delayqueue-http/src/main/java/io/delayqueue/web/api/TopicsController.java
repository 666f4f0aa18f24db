package io.delayqueue.web.api;

import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.TopicPage;
import io.delayqueue.management.guard.Permission;
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
        TopicPage found = inspector.topics(query.count(), query.after("topics"), call.client()::permits);
        return Response.ok(new TopicPage(found.topics(), PageQuery.next(found.next())));
    }
}
