//! As much of HTTP/1.1 as stands between a client and a server on loopback.

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path and query, as they were sent.
    pub(crate) target: String,
    headers: Headers,
    pub(crate) body: Bytes,
}

/// An answer, with its body whole.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Headers,
    pub(crate) body: Bytes,
}

/// Names as they were written, with their values.
#[derive(Clone, Debug, Default)]
struct Headers(Vec<(String, String)>);

/// A connection with what was read of it and not used.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    read: BytesMut,
}

impl Headers {
    fn value(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(it, _)| it.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Writes all but what says how the message ends, which each connection says for itself.
    fn write(&self, text: &mut String) {
        for (name, value) in &self.0 {
            let own = ["connection", "transfer-encoding", "content-length"];
            if !own.iter().any(|it| name.eq_ignore_ascii_case(it)) {
                text.extend([name, ": ", value, "\r\n"]);
            }
        }
    }
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.value(name)
    }

    /// Sends it to a server over a connection of its own.
    pub(crate) async fn send(&self, server: &str) -> io::Result<Answer> {
        let Self { method, target, headers, body } = self;
        let mut connection = Connection::over(TcpStream::connect(server).await?);
        let mut head = format!("{method} {target} HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
        headers.write(&mut head);
        head.push_str("connection: close\r\n\r\n");
        connection.stream.write_all(head.as_bytes()).await?;
        connection.stream.write_all(body).await?;
        let (line, headers) = connection.head().await?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or(io::ErrorKind::InvalidData)?;
        let has_no_body = method == "HEAD" || matches!(status, 204 | 304);
        let body = if has_no_body { Bytes::new() } else { connection.body(&headers).await? };
        Ok(Answer { status, headers, body })
    }
}

impl Answer {
    /// An answer of ours.
    pub(crate) fn of(status: u16) -> Self {
        Self { status, headers: Headers::default(), body: Bytes::new() }
    }

    /// The same answer with one more header.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.0.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same answer with another body.
    pub(crate) fn with_body(self, body: impl Into<Bytes>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// The answer to a request as bytes.
    pub(crate) fn bytes(&self, method: &str) -> Vec<u8> {
        // Of what HEAD asks for the length is told and nothing is sent.
        let length = match self.headers.value("content-length") {
            Some(length) if method == "HEAD" => Some(length.to_owned()),
            _ if matches!(self.status, 204 | 304) => None,
            _ => Some(self.body.len().to_string()),
        };
        let mut head = format!("HTTP/1.1 {} Status\r\n", self.status);
        self.headers.write(&mut head);
        if let Some(length) = length {
            head.extend(["content-length: ", &length, "\r\n"]);
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

impl Connection {
    pub(crate) fn over(stream: TcpStream) -> Self {
        Self { stream, read: BytesMut::new() }
    }

    /// The next request; none if the client has closed instead.
    pub(crate) async fn request(&mut self) -> io::Result<Option<Request>> {
        let Some((line, headers)) = self.head().await? else {
            return Ok(None);
        };
        let mut words = line.split(' ').map(str::to_owned);
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let chunked = headers.value("transfer-encoding").is_some();
        let has_body = chunked || headers.value("content-length").is_some();
        let body = if has_body { self.body(&headers).await? } else { Bytes::new() };
        Ok(Some(Request { method, target, headers, body }))
    }

    /// Waits until the other side has closed, in whatever way.
    pub(crate) async fn gone(&mut self) {
        while self.fill().await.is_ok_and(|count| count > 0) {}
    }

    /// The first line and the headers of a message.
    async fn head(&mut self) -> io::Result<Option<(String, Headers)>> {
        let mut lines = Vec::new();
        loop {
            let line = match self.line().await {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && lines.is_empty() => {
                    return Ok(None);
                }
                line => line?,
            };
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let mut lines = lines.into_iter();
        let first = lines.next().ok_or(io::ErrorKind::InvalidData)?;
        let header = |line: String| {
            let (name, value) = line.split_once(':').ok_or(io::ErrorKind::InvalidData)?;
            Ok((name.to_owned(), value.trim().to_owned()))
        };
        let headers = lines.map(header).collect::<io::Result<_>>()?;
        Ok(Some((first, Headers(headers))))
    }

    /// The body of a message with these headers: counted, in chunks, or up to the end.
    async fn body(&mut self, headers: &Headers) -> io::Result<Bytes> {
        if headers.value("transfer-encoding").is_some() {
            let mut body = BytesMut::new();
            loop {
                let line = self.line().await?;
                let size = line.split(';').next().unwrap_or_default();
                let size = usize::from_str_radix(size.trim(), 16)
                    .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
                body.extend_from_slice(&self.bytes(size).await?);
                self.line().await?;
                if size == 0 {
                    return Ok(body.freeze());
                }
            }
        }
        let length = headers.value("content-length").and_then(|length| length.parse().ok());
        if let Some(length) = length {
            return self.bytes(length).await;
        }
        self.gone().await;
        Ok(self.read.split().freeze())
    }

    async fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line = self.read.split_to(end + 1);
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            if self.fill().await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    async fn bytes(&mut self, count: usize) -> io::Result<Bytes> {
        while self.read.len() < count {
            if self.fill().await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(self.read.split_to(count).freeze())
    }

    async fn fill(&mut self) -> io::Result<usize> {
        self.stream.read_buf(&mut self.read).await
    }
}
