package client

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxSubscribed is how many resources a server is asked to watch at most.
const maxSubscribed = 200

// subscribeWait is how long the answer to a subscription is waited for.
const subscribeWait = 2 * time.Second

// subscription is what the server was asked to report changes of.
type subscription struct {
	answered chan struct{} // closed when the server has answered, or is no longer waited for
	settle   func()        // closes answered
}

func newSubscription() *subscription {
	answered := make(chan struct{})
	return &subscription{answered: answered, settle: sync.OnceFunc(func() { close(answered) })}
}

// wait waits for the answer.
func (s *subscription) wait(ctx context.Context, c *Conn) {
	select {
	case <-s.answered:
	case <-c.done:
	case <-ctx.Done():
	}
}

// Subscribe asks the server to report when a resource changes, if it can (Options.Updated). It asks
// once per resource, and waits a little for the answer, so that no change after the next Read is
// missed. It reports whether it asked.
func (c *Conn) Subscribe(ctx context.Context, uri string) bool {
	r := c.session.InitializeResult()
	if c.with.Updated == nil || r == nil || r.Capabilities == nil || r.Capabilities.Resources == nil || !r.Capabilities.Resources.Subscribe {
		return false
	}
	sub, asks := c.subscription(uri)
	if sub == nil {
		return false
	}
	if asks {
		go c.subscribe(uri, sub)
	}
	sub.wait(ctx, c)
	return asks
}

// subscription returns that of a resource, and whether it is new; nil: there are too many.
func (c *Conn) subscription(uri string) (sub *subscription, isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sub = c.subscribed[uri]
	if sub != nil || len(c.subscribed) >= maxSubscribed {
		return sub, false
	}
	if c.subscribed == nil {
		c.subscribed = map[string]*subscription{}
	}
	sub = newSubscription()
	c.subscribed[uri] = sub
	return sub, true
}

// subscribe sends a subscription. It ends with the connection at the latest.
func (c *Conn) subscribe(uri string, sub *subscription) {
	timer := time.AfterFunc(subscribeWait, sub.settle)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := within(ctx, c, func() (struct{}, error) {
		return struct{}{}, c.session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri})
	})
	if err != nil || !c.streams() {
		timer.Stop()
		sub.settle()
	}
}

// streams reports whether a subscription opens a stream whose first message is the answer (see
// acknowledged). Up to the legacy revision it is an ordinary request.
func (c *Conn) streams() bool { return c.About().Revision > legacy }

// watchLists begins the wait for the answer to the subscription to the server's lists, which the SDK
// sends as it connects; before the answer, a change would not be reported.
func (c *Conn) watchLists() {
	if c.streams() && reportsLists(c.session.InitializeResult().Capabilities) {
		time.AfterFunc(subscribeWait, c.lists.settle)
	} else {
		c.lists.settle()
	}
}

// reportsLists reports whether a server reports changes of one of its lists.
func reportsLists(can *mcp.ServerCapabilities) bool {
	return can != nil && (can.Tools != nil && can.Tools.ListChanged ||
		can.Resources != nil && can.Resources.ListChanged || can.Prompts != nil && can.Prompts.ListChanged)
}

// acknowledged hears which subscriptions the server has accepted.
func (c *Conn) acknowledged(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if p, ok := r.GetParams().(*mcp.SubscriptionsAcknowledgedParams); ok && p != nil {
			if len(p.Notifications.ResourceSubscriptions) == 0 {
				c.lists.settle()
			}
			c.mu.Lock()
			for _, uri := range p.Notifications.ResourceSubscriptions {
				if sub := c.subscribed[uri]; sub != nil {
					sub.settle()
				}
			}
			c.mu.Unlock()
		}
		return next(ctx, method, r)
	}
}

// Unsubscribe undoes a Subscribe that asked. It does not wait.
func (c *Conn) Unsubscribe(uri string) {
	c.mu.Lock()
	delete(c.subscribed, uri)
	c.mu.Unlock()
	go func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		within(ctx, c, func() (struct{}, error) {
			return struct{}{}, c.session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
		})
	}()
}
