//! Hands requests on to an address of the user's, with a credential that the process which sends them never sees.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use ureq::http::{Method, Request, Response};
use ureq::tls::TlsConfig;
use ureq::{Agent, Body, Proxy, SendBody};

use super::request::{RequestHead, answer, broken};

/// The start of the path of routes.
pub(crate) const PREFIX: &str = "/b/";
/// The time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// The time that an answer may take to begin: models think before they speak.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// Headers that are about one connection, or that are ours to set.
const OWN_HEADERS: [&str; 14] = [
    "authorization", "connection", "content-length", "cookie", "expect", "host", "keep-alive",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    "x-api-key",
];
/// Headers of answers that are not handed on: they are about one connection, or keep a login.
const DROPPED_OF_ANSWERS: [&str; 6] = [
    "connection", "content-length", "keep-alive", "set-cookie", "transfer-encoding", "upgrade",
];

/// A way to an address, to which a credential is added.
#[derive(Clone)]
pub struct BrokerRoute {
    /// The address that paths are added to.
    pub to: String,
    /// The methods that may be used; all if there is none.
    pub methods: Vec<String>,
    /// The starts of the paths that may be asked for; all if there is none.
    pub paths: Vec<String>,
    /// The header with the credential.
    pub header: String,
    /// The value of that header.
    pub value: String,
    /// The proxy on the way there.
    pub proxy: Option<Proxy>,
    /// The certificates that are trusted there.
    pub certificates: TlsConfig,
}

impl std::fmt::Debug for BrokerRoute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The value is a secret.
        f.debug_struct("BrokerRoute")
            .field("to", &self.to)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

/// The reasons why a request is not handed on.
pub(crate) enum RouteFailure {
    /// The route does not allow it.
    Refused(&'static str),
    /// The other side could not be asked, or stopped answering.
    Broken(io::Error),
}

impl From<io::Error> for RouteFailure {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

impl BrokerRoute {
    /// Hands one request on and its answer back; returns the bytes of the answer. `path` is what is asked for below the
    /// address.
    pub(crate) fn serve(
        &self,
        client: &TcpStream,
        head: RequestHead,
        path: &str,
    ) -> Result<u64, RouteFailure> {
        self.check(&head.method, path)
            .map_err(RouteFailure::Refused)?;
        let body = RequestBody::of(client, &head)?;
        let request = self.request(&head, path)?;
        let response = self.send(request, body).map_err(|error| {
            let why = format!("its address does not answer: {error}");
            RouteFailure::Broken(io::Error::other(why))
        })?;
        Ok(hand_back(client, response)?)
    }

    fn check(&self, method: &str, path: &str) -> Result<(), &'static str> {
        let is_method = |one: &String| one.eq_ignore_ascii_case(method);
        if method == "CONNECT" || !(self.methods.is_empty() || self.methods.iter().any(is_method)) {
            return Err("the route does not have this method");
        }
        let (path, _) = path.split_once('?').unwrap_or((path, ""));
        // What a server makes of such a path is not known here.
        let small = path.to_ascii_lowercase();
        let has_up = small
            .replace("%2e", ".")
            .split(['/', '\\'])
            .any(|part| part == "." || part == "..");
        if has_up
            || ["%2f", "%5c", "%25", "%00", "//", "\\"]
                .iter()
                .any(|one| small.contains(one))
        {
            return Err("the route does not have paths of this kind");
        }
        if !self.paths.is_empty() && !self.paths.iter().any(|start| is_below(path, start)) {
            return Err("the route does not have this path");
        }
        Ok(())
    }

    fn request(&self, head: &RequestHead, path: &str) -> io::Result<Request<()>> {
        let address = format!("{}{path}", self.to.trim_end_matches('/'));
        let method = Method::from_bytes(head.method.as_bytes()).map_err(broken)?;
        let mut request = Request::builder().method(method).uri(address);
        for (name, value) in &head.headers {
            let is_own =
                OWN_HEADERS.contains(&name.as_str()) || name.eq_ignore_ascii_case(&self.header);
            if !is_own {
                request = request.header(name.as_str(), value.as_slice());
            }
        }
        request = request.header(self.header.as_str(), self.value.as_str());
        if let Some(length) = head.header("content-length") {
            request = request.header("content-length", length);
        }
        request.body(()).map_err(broken)
    }

    fn send(
        &self,
        request: Request<()>,
        body: Option<RequestBody<'_>>,
    ) -> Result<Response<Body>, ureq::Error> {
        let config = Agent::config_builder()
            .proxy(self.proxy.clone())
            .tls_config(self.certificates.clone())
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(ANSWER_TIMEOUT))
            .user_agent("")
            .accept("")
            .accept_encoding("")
            .allow_non_standard_methods(true)
            .build();
        let agent = Agent::new_with_config(config);
        let (parts, ()) = request.into_parts();
        match body {
            Some(mut body) => {
                let request = Request::from_parts(parts, SendBody::from_reader(&mut body));
                agent.run(request)
            }
            None => agent.run(Request::from_parts(parts, ())),
        }
    }
}

/// Returns true if a path is that of a start, or lies below it.
fn is_below(path: &str, start: &str) -> bool {
    let start = start.trim_end_matches('/');
    path.strip_prefix(start)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The bytes that were read with the head of a request, and the stream behind them.
type BodyStream<'a> = BufReader<io::Chain<io::Cursor<Vec<u8>>, &'a TcpStream>>;

/// The body of a request, as it arrives.
enum RequestBody<'a> {
    Sized(io::Take<BodyStream<'a>>),
    Chunked {
        stream: BodyStream<'a>,
        /// The bytes that are left of the present chunk; `None` at its end.
        left: Option<u64>,
        is_over: bool,
    },
}

impl<'a> RequestBody<'a> {
    fn of(client: &'a TcpStream, head: &RequestHead) -> Result<Option<Self>, RouteFailure> {
        let stream = BufReader::new(io::Cursor::new(head.rest.clone()).chain(client));
        let is_chunked = match head.header("transfer-encoding") {
            Some(encoding) if encoding.eq_ignore_ascii_case("chunked") => true,
            None if !head.has("transfer-encoding") => false,
            _ => return Err(RouteFailure::Refused("it has a body of an unknown form")),
        };
        // Two lengths are how requests are smuggled.
        if is_chunked && head.has("content-length") {
            return Err(RouteFailure::Refused("it has two lengths"));
        }
        if head.header("expect").is_some() {
            let mut client = client;
            client.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        if is_chunked {
            return Ok(Some(Self::Chunked {
                stream,
                left: None,
                is_over: false,
            }));
        }
        if !head.has("content-length") {
            return Ok(None);
        }
        let length = head
            .header("content-length")
            .and_then(|one| one.parse().ok());
        let length: u64 = length.ok_or(RouteFailure::Refused("its length is none"))?;
        Ok(Some(Self::Sized(stream.take(length))))
    }
}

impl Read for RequestBody<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (stream, left, is_over) = match self {
            Self::Sized(stream) => return stream.read(buffer),
            Self::Chunked {
                stream,
                left,
                is_over,
            } => (stream, left, is_over),
        };
        while !*is_over {
            if let Some(count) = left {
                let most = usize::try_from(*count)
                    .unwrap_or(usize::MAX)
                    .min(buffer.len());
                let read = stream.read(&mut buffer[..most])?;
                if read == 0 {
                    return Err(broken("its body ends early"));
                }
                *count -= read as u64;
                if *count == 0 {
                    line(stream)?;
                    *left = None;
                }
                return Ok(read);
            }
            let size = line(stream)?;
            let (size, _) = size.split_once(';').unwrap_or((&size, ""));
            let size = u64::from_str_radix(size.trim(), 16).map_err(broken)?;
            if size == 0 {
                while !line(stream)?.is_empty() {}
                *is_over = true;
            } else {
                *left = Some(size);
            }
        }
        Ok(0)
    }
}

/// Reads a short line.
fn line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut text = Vec::new();
    stream.take(1024).read_until(b'\n', &mut text)?;
    let text = text
        .strip_suffix(b"\n")
        .ok_or_else(|| broken("its body ends early"))?;
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    String::from_utf8(text.to_owned()).map_err(broken)
}

/// Hands an answer back as it arrives; returns its bytes.
fn hand_back(mut client: &TcpStream, response: Response<Body>) -> io::Result<u64> {
    let status = response.status();
    let mut head = format!(
        "HTTP/1.1 {} {}\r\n",
        status.as_u16(),
        status.canonical_reason().unwrap_or("Answer")
    )
    .into_bytes();
    for (name, value) in response.headers() {
        if !DROPPED_OF_ANSWERS.contains(&name.as_str()) {
            head.extend_from_slice(name.as_str().as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value.as_bytes());
            head.extend_from_slice(b"\r\n");
        }
    }
    let has_body = !(status.as_u16() == 204 || status.as_u16() == 304);
    if has_body {
        head.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
    }
    head.extend_from_slice(b"Connection: close\r\n\r\n");
    client.write_all(&head)?;
    let mut bytes = 0;
    if !has_body {
        return Ok(bytes);
    }
    let mut body = response.into_body().into_reader();
    let mut part = vec![0; 32 * 1024];
    loop {
        let count = body.read(&mut part)?;
        // A chunk of no bytes is the end.
        client.write_all(format!("{count:x}\r\n").as_bytes())?;
        client.write_all(&part[..count])?;
        client.write_all(b"\r\n")?;
        if count == 0 {
            return Ok(bytes);
        }
        bytes += count as u64;
    }
}

/// Answers a request that is not handed on.
pub(crate) fn answer_failure(mut client: &TcpStream, failure: &RouteFailure) {
    // The process may have given up.
    let _ = match failure {
        RouteFailure::Refused(why) => {
            answer(&mut client, "403 Forbidden", &format!("Refused: {why}."))
        }
        RouteFailure::Broken(why) => answer(&mut client, "502 Bad Gateway", &why.to_string()),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(methods: &[&str], paths: &[&str]) -> BrokerRoute {
        let texts = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect();
        BrokerRoute {
            to: "https://api.example/base".into(),
            methods: texts(methods),
            paths: texts(paths),
            header: "x-key".into(),
            value: "secret".into(),
            proxy: None,
            certificates: TlsConfig::default(),
        }
    }

    #[test]
    fn only_named_methods_and_paths_are_handed_on() {
        let route = route(&["get", "POST"], &["/v1/"]);
        for (method, path, is_allowed) in [
            ("GET", "/v1/models", true),
            ("POST", "/v1?x=/../y", true),
            ("DELETE", "/v1/models", false),
            ("CONNECT", "/v1/models", false),
            ("GET", "/v1evil", false),
            ("GET", "/admin", false),
            ("GET", "/v1/../admin", false),
            ("GET", "/v1/%2E%2e/admin", false),
            ("GET", "/v1/%2e./admin", false),
            ("GET", "/v1/..%2fadmin", false),
            ("GET", "/v1/%252e%252e/admin", false),
            ("GET", "/v1/..\\admin", false),
            ("GET", "/v1//admin", false),
        ] {
            assert_eq!(
                route.check(method, path).is_ok(),
                is_allowed,
                "{method} {path}"
            );
        }
    }

    #[test]
    fn credentials_of_the_process_are_replaced_and_the_own_one_is_not_shown() {
        let route = route(&[], &[]);
        let text = b"GET /x HTTP/1.1\r\nHost: here\r\nX-Key: placeholder\r\nAuthorization: Bearer y\r\nCookie: z\r\nAccept: */*\r\n\r\n";
        let head = RequestHead::read(&mut &text[..]).unwrap().unwrap();
        let request = route.request(&head, "/x").unwrap();
        assert_eq!(request.uri(), "https://api.example/base/x");
        let sent: Vec<_> = request.headers().iter().collect();
        assert_eq!(sent.len(), 2);
        assert_eq!(request.headers()["x-key"], "secret");
        assert_eq!(request.headers()["accept"], "*/*");
        assert!(!format!("{route:?}").contains("secret"));
    }
}
