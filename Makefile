# Builds the engine as OpenBench does: `make EXE=name`, in this folder, and nothing but a Rust toolchain is needed. For the machine at hand;
# portable binaries come from scripts/release. OpenBench's CC, CXX and EVALFILE mean nothing here.

EXE ?= sesame
ifeq ($(OS),Windows_NT)
    SUFFIX := .exe
endif
# Named, so that it is known where the program will be, whatever the user's configuration of cargo says.
TARGET_DIR ?= $(or $(CARGO_TARGET_DIR),target)

.PHONY: all bench clean
all:
	cargo build --release --locked --bin sesame --target-dir "$(TARGET_DIR)"
	cp "$(TARGET_DIR)/release/sesame$(SUFFIX)" "$(EXE:.exe=)$(SUFFIX)"

bench: all
	"$(abspath $(EXE:.exe=)$(SUFFIX))" bench

clean:
	cargo clean --target-dir "$(TARGET_DIR)"
