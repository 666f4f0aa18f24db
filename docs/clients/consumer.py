"""Receives messages of a topic and handles them one at a time. Python 3.8 or later, without packages."""
import json, os, signal, sys, threading, time, urllib.error, urllib.request

QUEUE, TOKEN, TOPIC = os.environ["QUEUE"], os.environ["TOKEN"], os.environ["TOPIC"]
LEASE = 30  # seconds
stopping = receiving = False


def handle(message):
    """Your code. An exception fails the attempt."""
    print("handled", message["id"], flush=True)


def post(path, body):
    """Repeats the request until the queue has replied. A repeat is safe."""
    headers = {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"}
    request = urllib.request.Request(QUEUE + path, json.dumps(body).encode(), headers)
    pause = 1
    while True:
        try:
            with urllib.request.urlopen(request, timeout=40) as response:
                return json.loads(response.read() or "{}")
        except urllib.error.HTTPError as e:
            if e.code == 410:  # the message is delivered again
                return None
            if e.code < 500 and e.code != 429:
                raise
        except OSError as e:
            print(path, e, file=sys.stderr)
        time.sleep(pause)
        pause = min(30, 2 * pause)


def consume(message):
    lease = "/leases/" + message["receipt"]

    def extend():
        while not handled.wait(LEASE / 3):
            post(lease + "/extend", {"lease": f"{LEASE}s"})

    handled = threading.Event()
    threading.Thread(target=extend, daemon=True).start()
    try:
        handle(message)
        result = "/acknowledge", {}
    except Exception as e:
        result = "/retry", {"delay": "10s", "reason": repr(e)}
    handled.set()
    post(lease + result[0], result[1])


def stop(*_):
    global stopping
    stopping = True
    if receiving:
        sys.exit()  # a message that is due within the wait is delivered again when its lease ends


signal.signal(signal.SIGTERM, stop)
while not stopping:
    receiving = True
    received = post("/receive", {"topics": [TOPIC], "wait": "20s", "lease": f"{LEASE}s"})
    receiving = False
    for each in received["messages"]:
        consume(each)
