//! servers
