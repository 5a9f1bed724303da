//! The Rust SDK: a line of standard input is a step, a line of standard output what came of it.

use std::process::Stdio;

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, Peer, RoleClient,
    model::{
        CallToolRequestParams, ContentBlock, ProtocolVersion, ReadResourceRequestParams,
        ResourceContents, ResourceUpdatedNotificationParam, ServerNotification,
        SubscribeRequestParams, SubscriptionFilter,
    },
    service::{NotificationContext, RunningService},
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Takes the events of the handshake era.
struct Events(UnboundedSender<String>);

impl ClientHandler for Events {
    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.0.send(params.uri);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send("resources".into());
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send("tools".into());
    }
}

/// A client, and what it has heard.
struct Steps {
    client: RunningService<RoleClient, Events>,
    events: UnboundedSender<String>,
    heard: UnboundedReceiver<String>,
}

async fn connected(step: &Value) -> Result<Steps, Failure> {
    let (events, heard) = unbounded_channel();
    let handler = Events(events.clone());
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let lifecycle = match step["era"].as_str() {
        Some("modern") => ClientLifecycleMode::Discover { preferred_versions },
        Some("auto") => ClientLifecycleMode::Auto {
            preferred_versions,
            legacy_version: None,
        },
        _ => ClientLifecycleMode::Initialize,
    };
    let client = if let Some(url) = step["url"].as_str() {
        handler
            .serve_with_lifecycle(StreamableHttpClientTransport::from_uri(url), lifecycle)
            .await?
    } else {
        let words: Vec<&str> = step["command"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(text(step, "cwd"));
        let (transport, _) = TokioChildProcess::builder(command)
            .stderr(Stdio::inherit())
            .spawn()?;
        handler.serve_with_lifecycle(transport, lifecycle).await?
    };
    Ok(Steps {
        client,
        events,
        heard,
    })
}

fn text(step: &Value, key: &str) -> String {
    step[key].as_str().unwrap_or_default().to_owned()
}

impl Steps {
    async fn take(&mut self, step: &Value) -> Result<Value, Failure> {
        let peer: &Peer<RoleClient> = self.client.peer();
        Ok(match step["do"].as_str().unwrap_or_default() {
            "tools" => {
                json!(
                    peer.list_all_tools()
                        .await?
                        .into_iter()
                        .map(|one| one.name)
                        .collect::<Vec<_>>()
                )
            }
            "resources" => {
                json!(
                    peer.list_all_resources()
                        .await?
                        .into_iter()
                        .map(|one| one.uri)
                        .collect::<Vec<_>>()
                )
            }
            "templates" => {
                let listed = peer.list_all_resource_templates().await?;
                json!(
                    listed
                        .into_iter()
                        .map(|one| one.uri_template)
                        .collect::<Vec<_>>()
                )
            }
            "prompts" => {
                json!(
                    peer.list_all_prompts()
                        .await?
                        .into_iter()
                        .map(|one| one.name)
                        .collect::<Vec<_>>()
                )
            }
            "read" => {
                let read = self
                    .client
                    .read_resource(ReadResourceRequestParams::new(text(step, "uri")))
                    .await?;
                match read.contents.into_iter().next() {
                    Some(ResourceContents::TextResourceContents { text, .. }) => json!(text),
                    _ => return Err("there is no text".into()),
                }
            }
            "complete" => {
                let (template, argument) = (text(step, "template"), text(step, "argument"));
                json!(
                    peer.complete_resource_simple(template, argument, text(step, "value"))
                        .await?
                )
            }
            "call" => self.call(step).await?,
            "subscribe" => self.subscribe(text(step, "uri")).await?,
            "hear" => {
                let event = text(step, "event");
                while self.heard.recv().await.ok_or("nothing more is heard")? != event {}
                json!(event)
            }
            other => return Err(format!("unknown step: {other}").into()),
        })
    }

    async fn call(&self, step: &Value) -> Result<Value, Failure> {
        let arguments = step["arguments"].as_object().cloned().unwrap_or_default();
        let request = CallToolRequestParams::new(text(step, "name")).with_arguments(arguments);
        let result = self.client.call_tool(request).await?;
        let said = result
            .content
            .first()
            .and_then(ContentBlock::as_text)
            .ok_or("there is no text")?;
        if result.is_error == Some(true) {
            Err(said.text.clone().into())
        } else {
            Ok(json!(said.text))
        }
    }

    /// In the modern era the subscription is a stream, which brings changes of lists, too.
    async fn subscribe(&self, uri: String) -> Result<Value, Failure> {
        if self.version() != ProtocolVersion::V_2026_07_28.as_str() {
            #[expect(deprecated, reason = "the way of the handshake era")]
            self.client
                .peer()
                .subscribe(SubscribeRequestParams::new(uri))
                .await?;
            return Ok(json!(""));
        }
        let wanted = SubscriptionFilter::builder()
            .tools_list_changed()
            .resources_list_changed();
        let wanted = wanted.resource_subscriptions(vec![uri]).build();
        let mut stream = self.client.peer().listen(wanted).await?;
        let events = self.events.clone();
        tokio::spawn(async move {
            while let Ok(Some(event)) = stream.next().await {
                let _ = events.send(match event {
                    ServerNotification::ResourceUpdatedNotification(event) => event.params.uri,
                    ServerNotification::ResourceListChangedNotification(_) => "resources".into(),
                    ServerNotification::ToolListChangedNotification(_) => "tools".into(),
                    _ => continue,
                });
            }
        });
        Ok(json!(""))
    }

    fn version(&self) -> String {
        let server = self.client.peer().peer_info();
        server
            .map(|one| one.protocol_version.to_string())
            .unwrap_or_default()
    }
}

async fn answer(steps: &mut Option<Steps>, step: &Value) -> Result<Value, Failure> {
    if let Some(steps) = steps {
        return steps.take(step).await;
    }
    let made = steps.insert(connected(step).await?);
    Ok(json!(made.version()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut steps = None;
    while let Some(line) = lines.next_line().await? {
        let came = match answer(&mut steps, &serde_json::from_str(&line)?).await {
            Ok(got) => json!({"got": got}),
            Err(error) => json!({"error": error.to_string()}),
        };
        println!("{came}");
    }
    if let Some(steps) = steps {
        steps.client.cancel().await?;
    }
    Ok(())
}
